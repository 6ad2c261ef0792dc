"""A sample of tests is drawn by a text, the same for everyone, and is never empty."""

import subprocess
import sys
from pathlib import Path

import pytest

TESTS = """\
import pytest


@pytest.mark.parametrize("number", range(20))
def test_each(number): ...


@pytest.mark.skip
def test_skipped(): ...
"""


def drawn(folder: Path, *options: str) -> tuple[int, list[str], str]:
    """Return exit status, names of the tests that ran and all that was printed."""
    (folder / "test_many.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-v", "-c", "/dev/null", f"--rootdir={folder}", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "-p", "tests.sampling", str(folder), *options],
        cwd=Path(__file__).parents[1], capture_output=True, text=True, check=False,
    )  # fmt: skip
    ran = [line.rpartition("::")[2].split()[0] for line in done.stdout.splitlines() if "PASSED" in line]
    return done.returncode, ran, done.stdout + done.stderr


def test_a_seed_draws_the_same_tests_and_another_seed_draws_others(tmp_path: Path) -> None:
    options = ("-k", "each", "--sample", "5", "--sample-seed")
    status, first, said = drawn(tmp_path, *options, "one")
    assert status == 0 and len(first) == 5, said
    assert "a sample of at most 5 tests, drawn by 'one'" in said
    _, shared_out, said = drawn(tmp_path, *options, "one", "-n", "2")
    assert sorted(shared_out) == sorted(first), said
    assert drawn(tmp_path, *options, "two")[1] != first


@pytest.mark.parametrize("chosen", [("-k", "nowhere"), ("-k", "skipped")])
def test_a_sample_that_checks_nothing_fails(tmp_path: Path, chosen: tuple[str, str]) -> None:
    status, ran, said = drawn(tmp_path, *chosen, "--sample", "5")
    assert (status, ran) == (5, []), said
