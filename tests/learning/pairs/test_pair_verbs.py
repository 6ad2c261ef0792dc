"""The verbs of `pairs`: what is kept, what is dropped and why, and that nothing is half written."""

import json
import random
import shutil
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.cli.main import run
from repairlab.core.diff import apply_edits, changed_lines_of
from repairlab.core.errors import UserError
from repairlab.core.pair import Pair, PairForm, PairSet
from repairlab.learning.pairs.contamination import FORK, PROJECT, DecontaminateSettings, decontaminate_pairs, texts_of
from repairlab.learning.pairs.duplicates import DedupSettings, dedup_pairs, features, near_index
from repairlab.learning.pairs.edits import edit_of, words
from repairlab.learning.pairs.exporting import export_pairs, fixeval_tokens
from repairlab.learning.pairs.filtering import FilterSettings, filter_pairs
from repairlab.learning.pairs.pair_files import PairWriter, every_pair, read_head, read_pairs
from repairlab.learning.pairs.splitting import SplitSettings, split_pairs
from repairlab.learning.pairs.statistics import pair_statistics
from repairlab.learning.predictions import read_predictions

SHARES = {"train": 0.8, "valid": 0.1, "test": 0.1}


def write_set(folder: Path, splits: dict[str, Sequence[Pair]], *, language: str = "java", form: PairForm = "method") -> Path:
    folder.mkdir(parents=True)
    with ExitStack() as stack:
        writer = PairWriter(folder, stack)
        for split, pairs in splits.items():
            for pair in pairs:
                writer.add(split, pair)
        stack.close()
        facts = PairSet(name="toy", version="1", licence="MIT", description="toy", language=language, form=form, abstract=False)
        writer.finish(facts)
    return folder


def pair(name: str, buggy: str, fixed: str, **more: Any) -> Pair:
    return Pair(id=name, buggy=buggy, fixed=fixed, **more)


def many(n: int) -> list[Pair]:
    return [
        pair(
            f"p{i}", f"int f{i} ( ) {{ return {i} ; }}", f"int f{i} ( ) {{ return {i} + 1 ; }}", repository=f"r{i % 7}",
            time=f"2024-01-{1 + i % 28:02}",
        )
        for i in range(n)
    ]  # fmt: skip


def dropped(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "dropped.jsonl").read_text(encoding="utf-8").splitlines()]


def ids(folder: Path, split: str) -> list[str]:
    return [item.id for item in read_pairs(folder, split)]


def test_a_random_split_has_exact_sizes_loses_nothing_and_depends_on_the_seed_alone(tmp_path: Path) -> None:
    source = write_set(tmp_path / "a", {"all": many(200)})
    made = split_pairs(source, tmp_path / "b", SplitSettings(shares=SHARES, seed=3))
    assert made.splits == {"train": 160, "valid": 20, "test": 20} and made.dropped == {}
    assert sorted(item.id for _, item in every_pair(tmp_path / "b")) == sorted(item.id for item in many(200))
    backwards = write_set(tmp_path / "c", {"all": many(200)[::-1]})
    split_pairs(backwards, tmp_path / "d", SplitSettings(shares=SHARES, seed=3))
    assert set(ids(tmp_path / "b", "test")) == set(ids(tmp_path / "d", "test"))
    split_pairs(source, tmp_path / "e", SplitSettings(shares=SHARES, seed=4))
    assert set(ids(tmp_path / "b", "test")) != set(ids(tmp_path / "e", "test"))


def test_a_stratified_split_spreads_kinds_of_edits_evenly(tmp_path: Path) -> None:
    inserts = [pair(f"i{i}", f"f ( {i} ) ;", f"f ( {i} , 1 ) ;") for i in range(100)]
    deletes = [pair(f"d{i}", f"g ( {i} , 1 ) ;", f"g ( {i} ) ;") for i in range(20)]
    source = write_set(tmp_path / "a", {"all": [*inserts, *deletes]})
    split_pairs(source, tmp_path / "b", SplitSettings(shares=SHARES, stratify="edit"))
    assert sum(name.startswith("d") for name in ids(tmp_path / "b", "test")) == 2


def test_a_split_by_project_keeps_projects_together(tmp_path: Path) -> None:
    source = write_set(tmp_path / "a", {"all": [*many(70), pair("lone", "a ;", "b ;")]})
    made = split_pairs(source, tmp_path / "b", SplitSettings(shares={"train": 0.7, "test": 0.3}, by="project"))
    projects = {split: {item.repository for item in read_pairs(tmp_path / "b", split)} for split in made.splits}
    assert not projects["train"] & projects["test"]
    assert made.splits == {"train": 50, "test": 20} and made.dropped == {"no repository is known": 1}


def test_a_split_by_time_has_the_newest_last(tmp_path: Path) -> None:
    source = write_set(tmp_path / "a", {"all": many(56)})
    split_pairs(source, tmp_path / "b", SplitSettings(shares={"train": 0.75, "test": 0.25}, by="time"))
    last = max(item.time or "" for item in read_pairs(tmp_path / "b", "train"))
    assert last < min(item.time or "" for item in read_pairs(tmp_path / "b", "test"))


def test_filters_say_why(tmp_path: Path) -> None:
    source = write_set(
        tmp_path / "a",
        {
            "train": [
                pair("good", "int f() { return 1; }", "int f() { return 2; }"),
                pair("long", f"int f() {{ return {'1 + ' * 50} 1; }}", "int f() { return 2; }"),
                pair("same", "int g() { return 1; }", "int g()  { return 1; } // done"),
                pair("broken", "int h() { return 1; }", "int h() { return"),
                pair("hunks", "int k() {\na();\nb();\nc();\n}", "int k() {\nx();\nb();\ny();\n}"),
            ]
        },
    )
    settings = FilterSettings(max_tokens=40, identical=True, unparsable=True, one_hunk=True)
    made = filter_pairs(source, tmp_path / "b", settings)
    assert made.splits == {"train": 1} and ids(tmp_path / "b", "train") == ["good"]
    assert {(item["id"], item["reason"]) for item in dropped(tmp_path / "b")} == {
        ("long", "more than 40 tokens"),
        ("same", "identical but for white space and comments"),
        ("broken", "the fixed text does not parse"),
        ("hunks", "more than one hunk"),
    }
    (made_by,) = [json.loads(line) for line in (tmp_path / "b" / "made.jsonl").read_text(encoding="utf-8").splitlines()]
    assert made_by["by"] == "pairs filter" and made_by["from"] == {"train": 5} and made_by["dropped"] == made.dropped


def test_dedup_finds_repetitions_across_splits_and_the_test_split_keeps_them(tmp_path: Path) -> None:
    body = " ".join(f"call{i} ( x{i} ) ;" for i in range(30))
    source = write_set(
        tmp_path / "a",
        {
            "train": [
                pair("1", "return a ;", "return b ;"),
                pair("2", "return a;", "return b; // spacing"),
                pair("3", "return a ;", "return c ;"),
                pair("4", f"void f ( ) {{ {body} }}", f"void f ( ) {{ {body} done ( ) ; }}"),
            ],
            "test": [
                pair("5", "return  a ;", "return b ;"),
                pair("6", f"void f ( ) {{ {body} }}".replace("x7", "y"), f"void f ( ) {{ {body} done ( ) ; }}".replace("x7", "y")),
            ],
        },
    )
    made = dedup_pairs(source, tmp_path / "exact", DedupSettings())
    assert made.splits == {"train": 2, "test": 2}
    assert {(item["id"], item["of"]) for item in dropped(tmp_path / "exact")} == {("1", "test/5"), ("2", "test/5")}
    made = dedup_pairs(source, tmp_path / "near", DedupSettings(near=0.8))
    assert made.splits == {"train": 1, "test": 2}
    (near,) = [item for item in dropped(tmp_path / "near") if item["id"] == "4"]
    assert near["of"] == "test/6" and 0.8 <= float(str(near["similarity"])) < 1
    assert dedup_pairs(source, tmp_path / "within", DedupSettings(across=False)).splits == {"train": 3, "test": 2}


def test_minhash_misses_no_near_text_of_a_random_sample() -> None:
    draw = random.Random(7)
    texts = [" ".join(draw.choice("abcdefghij") for _ in range(80)) for _ in range(60)]
    changed = []
    for text in texts:
        tokens = text.split()
        tokens[draw.randrange(80)] = "z"
        changed.append(" ".join(tokens))
    with near_index(0.8) as index:
        for number, text in enumerate(texts):
            assert index.nearest(features(text)) is None
            index.add(str(number), features(text))
        found = [index.nearest(features(text)) for text in changed]
    assert [item.name if item else None for item in found] == [str(number) for number in range(60)]


def test_pairs_that_a_benchmark_holds_are_dropped(tmp_path: Path) -> None:
    starter = open_benchmark("starter")
    bug = next(item for item in starter if item.problem.language == "java")
    function = bug.problem.target.text
    own = "int other ( ) { return 4711 ; }"
    body = " ".join(f"call{i} ( x{i} ) ;" for i in range(30))
    source = write_set(
        tmp_path / "a",
        {
            "train": [
                pair("equal", function + " // seen", own),
                pair("near", own, function.replace("{", "{ int unused = 0 ;", 1) if len(words(function)) > 40 else function),
                pair("free", f"void f ( ) {{ {body} }}", f"void f ( ) {{ {body} g ( ) ; }}"),
            ]
        },
    )
    made = decontaminate_pairs(source, tmp_path / "b", [starter], DecontaminateSettings())
    assert ids(tmp_path / "b", "train") == ["free"] and made.splits == {"train": 1}
    assert {item["of"] for item in dropped(tmp_path / "b")} == {bug.id}
    assert any(text.text == function for text in texts_of(bug))


def test_pairs_of_a_benchmarks_projects_and_of_their_forks_are_dropped(tmp_path: Path) -> None:
    starter = open_benchmark("starter")
    found = next(item for item in starter if item.problem.language == "java")
    shutil.copytree(starter.folder / "bugs" / found.id, tmp_path / "bench/bugs" / found.id)
    shutil.copy(starter.folder / "benchmark.toml", tmp_path / "bench")
    with (tmp_path / "bench/bugs" / found.id / "bug.toml").open("a") as file:
        file.write('repository = "https://github.com/apache/commons-lang.git"\n')
    bench = open_benchmark(tmp_path / "bench")
    names = {
        "own": "https://api.github.com/repos/apache/Commons-Lang",
        "same-name": "someone/commons-lang",
        "fork": "https://github.com/who/lang3-fix",
        "other": "apache/commons-math",
        "unknown": None,
    }
    pairs = [pair(name, f"int {len(url or name)} ;", "int x ;", repository=url) for name, url in names.items()]
    source = write_set(tmp_path / "a", {"train": pairs})
    settings = DecontaminateSettings(projects=True, forks=("who/lang3-fix",))
    decontaminate_pairs(source, tmp_path / "b", [bench], settings)
    assert ids(tmp_path / "b", "train") == ["other", "unknown"]
    told = {str(item["id"]).rpartition("/")[2]: item["reason"] for item in dropped(tmp_path / "b")}
    assert told == {"own": PROJECT, "same-name": FORK, "fork": FORK}
    with pytest.raises(UserError, match="no bug says from which repository"):
        decontaminate_pairs(source, tmp_path / "c", [starter], DecontaminateSettings(projects=True))


def test_embeddings_find_what_texts_do_not(tmp_path: Path) -> None:
    class Marks:
        name = "marks"

        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            return [[1.0, 1.0] if "qqq" not in text else [1.0, -1.0] for text in texts]

    source = write_set(tmp_path / "a", {"train": [pair("1", "int unlike ;", "int x ;"), pair("2", "qqq ( ) ;", "y ;")]})
    made = decontaminate_pairs(source, tmp_path / "b", [open_benchmark("starter")], DecontaminateSettings(), embedder=Marks())
    assert ids(tmp_path / "b", "train") == ["2"]
    assert made.dropped == {"is embedded near a bug of the benchmark": 1}


def test_lines_are_compared_with_the_changed_lines_of_a_bug(tmp_path: Path) -> None:
    starter = open_benchmark("starter")
    bug = next(item for item in starter if item.problem.language == "python")
    old, new = _changed_lines(bug.id)
    source = write_set(
        tmp_path / "a", {"train": [pair("in", old, new), pair("out", old, "return None")]}, language="python", form="line"
    )
    decontaminate_pairs(source, tmp_path / "b", [starter], DecontaminateSettings())
    assert ids(tmp_path / "b", "train") == ["out"]


def _changed_lines(bug_id: str) -> tuple[str, str]:
    bug = open_benchmark("starter").bug(bug_id)
    fixed = apply_edits(bug.oracle.reference, {bug.problem.path: bug.problem.source})[bug.problem.path]
    lines = changed_lines_of(bug.problem.source, fixed or "")
    return lines.old.strip(), lines.new.strip()


def test_statistics(tmp_path: Path) -> None:
    source = write_set(
        tmp_path / "a",
        {
            "train": [pair("1", "return a ;", "return a + b ;", repository="r"), pair("2", "return a ;", "return b ;")],
            "test": [pair("3", "return a;", "return b;"), pair("4", "return a ;", "return c ;")],
        },
    )
    found = pair_statistics(source)
    assert [(item.n, item.edits, item.repositories) for item in found.splits] == [
        (2, {"insert": 1, "replace": 1}, 1),
        (2, {"replace": 2}, 0),
    ]
    assert found.splits[0].buggy_tokens is not None and found.splits[0].buggy_tokens.mean == 3
    assert [(item.one, item.other, item.pairs, item.buggy) for item in found.overlaps] == [("train", "test", 1, 2)]


@pytest.mark.parametrize("form", ["codexglue", "bfp", "parallel"])
def test_parallel_files_are_read_again(tmp_path: Path, form: str) -> None:
    source = write_set(tmp_path / "a", {"train": many(5), "valid": [pair("v", "int f() {\n  a();\n}", "int f() {\n  b();\n}")]})
    export_pairs(source, form, tmp_path / "out")
    assert run(["import", form, str(tmp_path / "out"), "--to", str(tmp_path / "again")]) == 0
    assert [item.fixed for item in read_pairs(tmp_path / "again", "train")] == [item.fixed for item in many(5)]
    assert [item.buggy for item in read_pairs(tmp_path / "again", "valid")] == ["int f() { a(); }"]


def test_the_seven_folders_of_npr4j_are_read_again(tmp_path: Path) -> None:
    method = "int f() {\n  return 1;\n}"
    whole = pair("a1", method, method.replace("1", "2"), context=f"class A {{\n{method}\n}}", repository="apache/x")
    source = write_set(tmp_path / "a", {"train": [whole], "test": [pair("b2", "int g() { }", "int g() { return; }")]})
    export_pairs(source, "npr4j-raw", tmp_path / "out")
    names = sorted(path.name for path in (tmp_path / "out").iterdir() if path.is_dir())
    assert names == ["buggy_classes", "buggy_lines", "buggy_methods", "fix_classes", "fix_lines", "fix_methods", "metas"]
    assert (tmp_path / "out" / "fix_lines" / "a1.txt").read_text(encoding="utf-8") == "  return 2;\n"
    assert "return 2" in (tmp_path / "out" / "fix_classes" / "a1.java").read_text(encoding="utf-8")
    assert run(["import", "npr4j-raw", str(tmp_path / "out"), "--to", str(tmp_path / "again")]) == 0
    (again,) = read_pairs(tmp_path / "again", "train")
    assert (again.buggy, again.fixed, again.context) == (whole.buggy, whole.fixed, whole.context)
    assert ids(tmp_path / "again", "test") == ["b2"]


def test_lines_are_written_as_methods_and_classes_of_npr4j(tmp_path: Path) -> None:
    file = "class A {\n  int f() {\n    return 1;\n  }\n  int g() {\n    return 1;\n  }\n}\n"
    line = pair("c3", "return 1;", "return 2;", context=file, start=file.rindex("return"))
    source = write_set(tmp_path / "a", {"train": [line, pair("lone", "x", "y")]}, form="line")
    made = export_pairs(source, "npr4j-raw", tmp_path / "out")
    assert made.dropped == {"no method is known around it": 1}
    texts = {path.parent.name: path.read_text(encoding="utf-8") for path in (tmp_path / "out").glob("*/c3.*")}
    assert texts["buggy_methods"] == "int g() {\n    return 1;\n  }" and texts["fix_lines"] == "    return 2;\n"
    assert (
        texts["buggy_classes"] == file and texts["fix_classes"] == file[: line.start] + "return 2" + file[(line.start or 0) + 8 :]
    )
    assert texts["metas"].startswith("train<sep>c3<sep>[1:2]<sep>[1:2]<sep>")


def test_bugs_of_a_benchmark_become_pairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["pairs", "take", "starter", "--to", str(tmp_path / "all")]) == 2
    assert "choose one with --language: c, cpp" in capsys.readouterr().err
    assert run(["pairs", "take", "starter", "--language", "shell", "--to", str(tmp_path / "all")]) == 2
    assert "it has no bug in shell" in capsys.readouterr().err and not (tmp_path / "all").exists()
    assert run(["pairs", "take", "starter", "--language", "c", "--to", str(tmp_path / "c")]) == 0
    facts, splits = read_head(tmp_path / "c")
    assert (facts.form, facts.language) == ("program", "c") and splits["train"] >= 10
    capsys.readouterr()
    assert run(["pairs", "represent", str(tmp_path / "c"), "--representation", "sequencer", "--limit", "9", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["pairs"] == found["represented"] == found["recovered"] == 9 and found["counted_in"] == "tokens"
    assert run(["pairs", "represent", str(tmp_path / "c"), "--representation", "recoder", "--learn", "train"]) == 0
    assert "recovered first" in capsys.readouterr().out
    assert run(["pairs", "represent", str(tmp_path / "c"), "--representation", "line", "--split", "dev"]) == 2
    assert run(["pairs", "represent", str(tmp_path / "c"), "--representation", "line", "--learn", "train"]) == 2
    assert "learns nothing" in capsys.readouterr().err


def test_metas_that_begin_with_a_repository(tmp_path: Path) -> None:
    folder = tmp_path / "raw"
    for name, text in {"buggy_methods": "a ;", "fix_methods": "b ;", "metas": "apache/x<sep>c0ffee<sep>[1:2]"}.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "id1.txt").write_text(text, encoding="utf-8")
    (folder / "data.ids").write_text("id1\n", encoding="utf-8")
    assert run(["import", "npr4j-raw", str(folder), "--to", str(tmp_path / "made")]) == 0
    assert list(read_pairs(tmp_path / "made", "train")) == [
        Pair(id="id1", buggy="a ;", fixed="b ;", repository="apache/x", commit="c0ffee")
    ]


def test_programs_with_verdicts_of_fixeval_are_read_and_written(tmp_path: Path) -> None:
    buggy, fixed = "n = int(input())\nif n:\n    print('a b')\n", "n = int(input())\nif n > 0:\n    print('a b')\n"
    source = write_set(
        tmp_path / "a",
        {"test": [pair("p1_s1", buggy, fixed, verdict="Wrong Answer"), pair("p1_s2", fixed, buggy)]},
        language="python",
        form="program",
    )
    made = export_pairs(source, "fixeval-pairs", tmp_path / "out")
    assert made.splits == {"test": 1} and made.dropped == {"no verdict of a judge is known": 1}
    assert run(["import", "fixeval-pairs", str(tmp_path / "out"), "--to", str(tmp_path / "again")]) == 0
    facts, splits = read_head(tmp_path / "again")
    assert (facts.language, facts.form, splits) == ("python", "program", {"test": 1})
    (again,) = read_pairs(tmp_path / "again", "test")
    assert again.verdict == "Wrong Answer"
    assert fixeval_tokens(again.buggy, "python") == fixeval_tokens(buggy, "python")


@pytest.mark.parametrize(
    ("buggy", "fixed", "kind", "hunks"),
    [
        ("a b", "a b", "none", 0),
        ("a b", "a c b", "insert", 1),
        ("a c b", "a b", "delete", 1),
        ("a b", "a c", "replace", 1),
        ("a b c d e", "x b c d e f", "mixed", 2),
        ("a\nb\nc", "x\nb\ny", "replace", 2),
    ],
)
def test_kinds_of_edits(buggy: str, fixed: str, kind: str, hunks: int) -> None:
    found = edit_of(buggy, fixed)
    assert (found.kind, found.n_hunks) == (kind, hunks)


def test_predictions_are_matched_by_line_and_by_id(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = write_set(tmp_path / "a", {"test": [pair("1", "return a ;", "return b ;"), pair("2", "f ( ) ;", "g ( ) ;")]})
    lines = tmp_path / "lines.txt"
    lines.write_text("return b ;\nf ( ) ;\n", encoding="utf-8")
    assert run(["pairs", "match", str(lines), "--pairs", str(source), "--copy", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["scores"]["exact_text"] == 0.5 and found["scores"]["unchanged"] == 0.5 and found["copied"]["exact_text"] == 0
    records = tmp_path / "beam.jsonl"
    records.write_text('{"id": "2", "predictions": ["x", "g(  ) ;", "g ( ) ;", "y", "z"]}\n', encoding="utf-8")
    assert run(["pairs", "match", str(records), "--pairs", str(source), "--json"]) == 0
    scores = json.loads(capsys.readouterr().out)["scores"]
    assert scores["exact_within"] == {"1": 0.0, "5": 0.5} and scores["missing"] == 0.5


def test_predictions_are_compiled_and_not_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = [
        (Pair(id="1", buggy="print(1\n", fixed="print(1)\n"), "raise SystemExit(1)\n"),
        (Pair(id="2", buggy="print(2)\n", fixed="print(3)\n"), "print((\n"),
    ]
    splits: dict[str, Sequence[Pair]] = {"test": [item for item, _ in found]}
    source = write_set(tmp_path / "a", splits, language="python", form="program")
    lines = [json.dumps({"id": item.id, "prediction": said}) for item, said in found]
    (tmp_path / "out.jsonl").write_text("\n".join(lines), encoding="utf-8")
    arguments = ["pairs", "match", str(tmp_path / "out.jsonl"), "--copy", "--compile", "-j", "1", "--json", "--pairs"]
    assert run([*arguments, str(write_set(tmp_path / "b", splits))]) == 2
    assert "--compile is for sets of whole programs" in capsys.readouterr().err
    assert run([*arguments, str(source)]) == 0
    both = json.loads(capsys.readouterr().out)
    assert (both["scores"]["compiles"], both["copied"]["compiles"]) == (0.5, 0.5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["split", "SET", "--to", "NEW", "--shares", "train=0.8"], "together they must be 1"),
        (["split", "SET", "--to", "NEW", "--shares", "train:1"], "write names and shares"),
        (["split", "SET", "--to", "NEW", "--by", "projects"], "Did you mean 'project'?"),
        (["split", "SET", "--to", "NEW", "--by", "time"], "says when it was fixed"),
        (["split", "SET", "--to", "NEW", "--by", "project"], "names its repository"),
        (["filter", "SET", "--to", "NEW"], "say what"),
        (["filter", "SET", "--to", "NEW", "--min-tokens", "99"], "nothing was written"),
        (["filter", "SET", "--to", "SET", "--identical"], "not an empty folder"),
        (["dedup", "SET", "--to", "NEW", "--near", "0.1"], "from 0.5 to 1"),
        (["decontaminate", "SET", "--to", "NEW", "--against", "nothing"], "unknown benchmark 'nothing'"),
        (["export", "SET", "npr4j", "--to", "NEW"], "unknown form 'npr4j'"),
        (["export", "SET", "fixeval-pairs", "--to", "NEW"], "no verdict of a judge is known"),
        (["show", "SET", "--split", "tests"], "unknown split 'tests'"),
        (["show", "SET", "--id", "9"], "no pair with the id '9'"),
        (["stats", "NEW"], "it has no pairs.toml"),
    ],
)
def test_wrong_input_is_said_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    places = {
        "SET": str(write_set(tmp_path / "a", {"test": [pair("1", "return a ;", "return b ;")]})),
        "NEW": str(tmp_path / "new"),
    }
    assert run(["pairs", *(places.get(word, word) for word in arguments)]) == 2
    assert message in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("one\ntwo\n", [], "has 2 lines, but the split 'test'"),
        ("one\n", ["--split", "valid"], "unknown split 'valid'"),
        ("one\n", ["--bleu", "sacrebleu"], "unknown variant of BLEU"),
        ("one\n", ["--codebleu", "strikt"], "Did you mean 'strict'?"),
    ],
)
def test_wrong_predictions(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, options: list[str], message: str) -> None:
    source = write_set(tmp_path / "a", {"test": [pair("1", "return a ;", "return b ;")]})
    (tmp_path / "lines.txt").write_text(text, encoding="utf-8")
    assert run(["pairs", "match", str(tmp_path / "lines.txt"), "--pairs", str(source), *options]) == 2
    assert message in capsys.readouterr().err


def test_predictions_for_unknown_ids(tmp_path: Path) -> None:
    source = write_set(tmp_path / "a", {"test": [pair("1", "return a ;", "return b ;")]})
    (tmp_path / "b.jsonl").write_text('{"id": "7", "prediction": "x"}\n', encoding="utf-8")
    with pytest.raises(UserError, match="1 ids that are not in the split 'test', such as '7'"):
        list(read_predictions(tmp_path / "b.jsonl", source, "test"))


def test_a_split_is_no_path(tmp_path: Path) -> None:
    source = write_set(tmp_path / "a", {"test": [pair("1", "return a ;", "return b ;")]})
    head = (source / "pairs.toml").read_text(encoding="utf-8")
    (source / "pairs.toml").write_text(head.replace("test = 1", '"../test" = 1'), encoding="utf-8")
    with pytest.raises(UserError, match="is no name of a split"):
        read_head(source)
