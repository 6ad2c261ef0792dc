"""Runs on a machine that lacks what a bug needs: its candidates are not to blame, and the user is told."""

from pathlib import Path

import pytest

from repairlab.cli.main import run


def said(capsys: pytest.CaptureFixture[str], tiny: Path, folder: Path) -> str:
    assert run(["run", str(tiny), "--repairer", "copy", "--to", str(folder), "-j", "1", "--no-cache"]) == 0
    return " ".join(capsys.readouterr().err.split())


def test_where_the_reference_fix_does_not_come_to_its_tests_either_that_is_said(
    tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tests = tiny / "bugs/shop/buggy/tests/test_cart.py"
    tests.write_text(f"import a_package_that_is_missing\n{tests.read_text()}")
    told = said(capsys, tiny, tmp_path / "run")
    assert "WARNING: bug shop: no candidate came to its tests, and the reference fix is CRASH here, too (" in told
    assert (
        "(tests/test_cart.py::test_total: ModuleNotFoundError: No module named 'a_package_that_is_missing' ImportError while"
        in told
    )
    assert f"Look closer with: repairlab check {tiny} -i shop" in told
    assert told.count("WARNING") == 1


def test_candidates_that_do_not_compile_are_to_blame_where_the_reference_fix_does(
    tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    buggy, fix = tiny / "bugs/sum/buggy/main.py", tiny / "bugs/sum/fix.patch"
    buggy.write_text(buggy.read_text().replace("    result = 1\n", "    result = = 1\n"))
    fix.write_text(fix.read_text().replace("-    result = 1\n", "-    result = = 1\n"))
    assert "WARNING" not in said(capsys, tiny, tmp_path / "run")
