"""Real files, where they are at hand: all of their entries can be read."""

import json
from collections import Counter
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.formats.npr4j_results import read_results
from repairlab.formats.table import recognise
from repairlab.study.external_candidates import read_external_candidates

DATA = Path(__file__).parents[2] / "../shared/data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the published data are not beside this checkout")


@pytest.fixture(scope="module")
def quixbugs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a benchmark of the forty Java programs, with no tests to speak of."""
    root = tmp_path_factory.mktemp("data") / "quixbugs"
    for line in (DATA / "quixbugs/quixbugs.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        folder, source = root / "bugs" / entry["name"], entry["java_buggy"]
        (folder / "buggy").mkdir(parents=True)
        (folder / "cases").mkdir()
        (folder / "buggy/Main.java").write_bytes(source.encode())
        (folder / "bug.toml").write_text('schema = 1\nlanguage = "java"\npath = "Main.java"\n[test]\nframework = "stdio"\n')
        (folder / "issue.md").write_text("Wrong\n")
        (folder / "fix.patch").write_text(f"--- a/Main.java\n+++ b/Main.java\n@@ -1 +1 @@\n-{source.splitlines()[0]}\n+// fixed\n")
        (folder / "cases/1.in").write_text("")
        (folder / "cases/1.out").write_text("")
    head = 'schema = 1\nname = "quixbugs-java"\nversion = "1"\nlicence = "MIT"\n'
    (root / "benchmark.toml").write_text(head)
    return root


@pytest.mark.parametrize("name", ["codet5_base", "codet5_small", "incoder_1B"])
def test_every_verdict_on_quixbugs_has_its_candidate(quixbugs: Path, name: str) -> None:
    path = DATA / f"clm_verdicts/quixbugs/{name}_finetune_validate.json"
    given = read_external_candidates(path, open_benchmark(str(quixbugs)))
    assert given.format == "clm" and given.errors == ()
    assert sum(map(len, given.candidates.values())) == len(given.known) == 400
    data = json.loads(path.read_text())["data"].values()
    published = Counter(output["correctness"] for entry in data for output in entry["output"])
    assert Counter(known.word for known in given.known.values()) == published


def test_all_results_of_npr4j_are_read() -> None:
    path = DATA / "npr4j/all_result.json"
    assert recognise(path) == "npr4j-results"
    found = read_results([path]).outcomes
    assert (len(found), sum(item.verdict == "correct" for item in found)) == (12_053, 2_892)


def test_a_patch_list_of_npr4j_says_which_files_are_missing(quixbugs: Path, tmp_path: Path) -> None:
    path = DATA / "npr4j/defects4j_SEP_Cli-24.CodeBERT.patchinfo.json"
    assert recognise(path) == "npr4j-patchinfo"
    text = path.read_text().replace("defects4j<SEP>Cli-24", "QuixBugs<SEP>GCD")
    (tmp_path / path.name).write_text(text)
    for number in (1, 300):
        (tmp_path / f"HelpFormatter.{number}.patch").write_text(f"class A{number} {{}}")
    given = read_external_candidates(tmp_path / path.name, open_benchmark(str(quixbugs)))
    assert [item.edits[0].text for item in given.candidates["gcd"]] == ["class A1 {}", "class A300 {}"]
    assert "HelpFormatter.2.patch' is not below" in given.errors[0]
