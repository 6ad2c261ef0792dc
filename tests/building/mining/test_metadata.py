"""Repositories are chosen by what the user knows of them, and patches of CVEs by a list."""

import json
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.building.mining.metadata import read_cves
from repairlab.cli.main import run
from tests.building.mining.conftest import PRICE, TESTS, TOTAL_TEST, History

SHA = "0123456789abcdef0123456789abcdef01234567"


def test_stars_licences_and_forks_decide_which_clones_are_mined(
    shop: History, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.git("remote", "add", "origin", "https://example.org/acme/shop.git")
    table, listed = tmp_path / "known.csv", tmp_path / "known.json"
    table.write_text("repository,stars,licence,fork\nACME/shop,120,MIT,false\n", encoding="utf-8")
    github = {"full_name": "acme/shop", "stargazers_count": 120, "license": {"spdx_id": "MIT"}, "fork": True}
    listed.write_text(json.dumps([github]), encoding="utf-8")
    wanted = ["mine", str(shop.folder), "--to", str(tmp_path / "set"), "--pairs", "--language", "python"]
    for more, reason in (
        (["--metadata", str(table), "--min-stars", "200"], "it has 120 stars, fewer than 200"),
        (["--metadata", str(table), "--licence", "Apache-2.0"], "its licence is MIT, not Apache-2.0"),
        (["--metadata", str(listed)], "it is a fork"),
        (["--min-stars", "200"], "--min-stars and --licence need --metadata"),
    ):
        assert run([*wanted, *more]) == 2
        assert reason in capsys.readouterr().err
    table.write_text(table.read_text(encoding="utf-8").replace("shop,", "other,"), encoding="utf-8")
    assert run([*wanted, "--metadata", str(table)]) == 2
    assert "the metadata does not name it" in capsys.readouterr().err
    table.write_text("repository,stars,licence\nshop,200,mit\n", encoding="utf-8")
    assert run([*wanted, "--metadata", str(table), "--min-stars", "200", "--licence", "MIT"]) == 0
    table.write_text("repository,stars\nshop,many\n", encoding="utf-8")
    assert run([*wanted, "--metadata", str(table)]) == 2
    assert "line 2: stars should be a whole number, not 'many'" in capsys.readouterr().err


def test_a_cve_with_several_patches_is_left_out(tmp_path: Path) -> None:
    rows = [
        ("CVE-2020-0001", SHA),
        ("CVE-2020-0002", SHA[::-1]),
        ("CVE-2020-0002", "f" * 40),
        ("CVE-2020-0003", "issues/7"),
        ("", SHA),
    ]
    path = tmp_path / "cves.csv"
    path.write_text("cve,url\n" + "".join(f"{cve},https://example.org/a/b/commit/{sha}\n" for cve, sha in rows), encoding="utf-8")
    found = read_cves(path)
    assert found.by_commit == {SHA: "CVE-2020-0001"}
    assert [note.partition(": ")[2] for note in found.notes] == [
        "1 CVEs with several patches left out: CVE-2020-0002",
        "2 rows without a CVE or a commit left out",
    ]


def test_patches_of_cves_become_vulnerabilities_beside_bugs(
    history: History, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    history.commit("Begin", shop__price_py=PRICE, shop__init_py="", tests__test_price_py=TESTS)
    fixed = PRICE.replace("prices[1:]", "prices")
    patch = history.commit("Sum all", shop__price_py=fixed, tests__test_price_py=TOTAL_TEST)
    label = TOTAL_TEST + "\n\ndef test_space():\n    assert label(' 3') == '3 EUR'\n"
    history.commit("Fix labels", shop__price_py=fixed.replace("{price}", "{str(price).strip()}"), tests__test_price_py=label)
    cves = tmp_path / "cves.csv"
    cves.write_text(f"cve,commit_url\nCVE-2020-12345,https://example.org/acme/shop/commit/{patch}\n", encoding="utf-8")
    command = ["mine", str(history.folder), "--cves", str(cves), "-j", "1"]
    assert run([*command, "--to", str(tmp_path / "both")]) == 0
    assert "2 bugs (1 vulnerability) verified" in capsys.readouterr().out
    cve_of = {bug.origin.commit: bug.origin.cve for bug in open_benchmark(str(tmp_path / "both"))}
    assert cve_of == {patch: "CVE-2020-12345", history.git("rev-parse", "HEAD"): None}
    assert run([*command, "--message", "cve", "--to", str(tmp_path / "vul")]) == 0
    assert "1 bug (1 vulnerability) verified" in capsys.readouterr().out
    assert run(["mine", str(history.folder), "--message", "cve", "--to", str(tmp_path / "none")]) == 2
    assert "name their list with --cves" in capsys.readouterr().err
