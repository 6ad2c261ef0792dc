"""Pairs without tests are read from everybody's layout, and written whole or not at all."""

import gzip
import json
from pathlib import Path

import pytest

from repairlab.cli.main import run
from repairlab.core.errors import UserError
from repairlab.core.pair import Pair
from repairlab.learning.pairs.pair_files import read_head, read_pairs
from tests.builders import write_files

SHARED = Path(__file__).parents[3] / "../shared/data/pairs"


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("codexglue", ("test.buggy-fixed.buggy", "test.buggy-fixed.fixed", "valid.buggy-fixed.buggy", "valid.buggy-fixed.fixed")),
        ("bfp", ("test/buggy.txt", "test/fixed.txt", "eval/buggy.txt", "eval/fixed.txt")),
        ("parallel", ("src-test.txt", "tgt-test.txt", "src-val.txt", "tgt-val.txt")),
    ],
)
def test_parallel_files_in_three_layouts(tmp_path: Path, name: str, files: tuple[str, ...]) -> None:
    texts = ("f ( VAR_1 ) ;\nsame ;\ng ( ) ;\ng ( ) ;\n", "f ( VAR_2 ) ;\nsame ;\nh\u2028( ) ;\nh\u2028( ) ;\n", "x ;\n", "y ;")
    source = write_files(tmp_path / "small", dict(zip(files, texts, strict=True)))
    assert run(["import", name, str(source), "--to", str(tmp_path / "made")]) == 0
    facts, splits = read_head(tmp_path / "made")
    assert facts.name == f"{name}-small" and facts.abstract and splits == {"test": 2, "valid": 1}
    assert list(read_pairs(tmp_path / "made", "test")) == [
        Pair(id="test-1", buggy="f ( VAR_1 ) ;", fixed="f ( VAR_2 ) ;"),
        Pair(id="test-3", buggy="g ( ) ;", fixed="h\u2028( ) ;"),
    ]
    assert [pair.fixed for pair in read_pairs(tmp_path / "made", "valid")] == ["y ;"]
    with pytest.raises(UserError, match="unknown split 'train'"):
        list(read_pairs(tmp_path / "made", "train"))


def test_the_raw_folders_of_npr4j(tmp_path: Path) -> None:
    source = write_files(
        tmp_path / "raw",
        {
            "data.ids": "d4j_aa\nbb\n",
            "buggy_methods/d4j_aa.txt": "int f() { return 1; }\n",
            "fix_methods/d4j_aa.txt": "int f() { return 2; }\n",
            "buggy_classes/aa.java": "class A { int f() { return 1; } }\n",
            "metas/d4j_aa.txt": "val<sep>aa<sep>[0:1]<sep>[0:1]<sep>p<sep>replace",
            "buggy_classes/bb.txt": "class B { int g() { } }\n",
            "buggy_methods/bb.txt": "int g() { }\n",
            "fix_methods/bb.txt": "int g() { return 0; }\n",
            "metas/bb.txt": "train<sep>bb<sep>[0:1]",
        },
    )
    assert run(["import", "npr4j-raw", str(source), "--to", str(tmp_path / "made")]) == 0
    assert list(read_pairs(tmp_path / "made", "valid")) == [
        Pair(
            id="d4j_aa",
            buggy="int f() { return 1; }\n",
            fixed="int f() { return 2; }\n",
            context="class A { int f() { return 1; } }\n",
        )
    ]
    assert [(pair.id, pair.context) for pair in read_pairs(tmp_path / "made", "train")] == [("bb", "class B { int g() { } }\n")]


TASK = "int b = 2;\n\nclass A {\n  void f() {\n    int b = 1;\n  }\n  void g() {\n    int b = 1;\n  }\n}\n"


def test_one_line_fixes_of_codrep_know_their_place_in_the_file(tmp_path: Path) -> None:
    write_files(
        tmp_path / "Datasets",
        {
            "Dataset1/Tasks/1.txt": TASK,
            "Dataset1/Solutions/1.txt": "6\n",
            "Dataset4/Tasks/7.txt": TASK.replace("\n", "\r\n"),
            "Dataset4/Solutions/7.txt": "3",
        },
    )
    assert run(["import", "codrep", str(tmp_path / "Datasets"), "--to", str(tmp_path / "made")]) == 0
    (pair,) = read_pairs(tmp_path / "made", "train")
    assert (pair.id, pair.buggy, pair.fixed, pair.context) == ("1-1", "int b = 1;", "int b = 2;", TASK.split("\n\n", 1)[1])
    assert pair.start == pair.context.rindex("int b = 1;") and read_head(tmp_path / "made")[0].form == "line"
    (other,) = read_pairs(tmp_path / "made", "test")
    assert (other.id, other.start) == ("4-7", other.context.index("int b = 1;"))
    line = {"ds": 4, "id": 7, "buggy": "b = 1;", "fixed": "b = 2;", "before": ["void f() {"], "after": ["}"]}
    with gzip.open(tmp_path / "lines.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    assert run(["import", "codrep", str(tmp_path / "lines.jsonl.gz"), "--to", str(tmp_path / "lines")]) == 0
    assert list(read_pairs(tmp_path / "lines", "test")) == [
        Pair(id="4-7", buggy="b = 1;", fixed="b = 2;", context="void f() {\nb = 1;\n}", start=11)
    ]


def test_the_drawn_programs_of_fixeval_are_a_split_of_their_own(tmp_path: Path) -> None:
    entry = {
        "src_id": "p1_s1",
        "src": ["int", "a", ";"],
        "src_verdict": "Wrong Answer",
        "tgt": ["int", "b", ";"],
        "tgt_id": "p1_s2",
    }
    names = ("train", "valid", "test", "eval")
    write_files(tmp_path / "splits", {f"{name}.jsonl": json.dumps([entry | {"src_id": f"p1_{name}"}]) for name in names})
    assert run(["import", "fixeval-pairs", str(tmp_path / "splits"), "--to", str(tmp_path / "made")]) == 0
    assert read_head(tmp_path / "made")[1] == dict.fromkeys(sorted(names), 1)


def test_mined_records_of_npr4j(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = {
        "id": "c1@f()",
        "commit_info": {
            "repo": "https://example.org/r",
            "commit_url:": "https://example.org/r/commit/c1",
            "commit_message": "bug fix",
        },
        "method_info": {"name": "f", "buggy": {"code": "a"}, "fix": {"code": "b"}},
    }
    (tmp_path / "one.json").write_text(json.dumps(record))
    assert run(["import", "npr4j-records", str(tmp_path / "one.json"), "--to", str(tmp_path / "made")]) == 0
    assert "without the class around the method: 1" in capsys.readouterr().err
    pair = Pair(id="c1@f()", buggy="a", fixed="b", repository="https://example.org/r", commit="c1")
    assert list(read_pairs(tmp_path / "made", "train")) == [pair]

    record["method_info"] = {"buggy": {"code": "a", "parent_file": "c1\\P_dir\\A.java"}, "fix": {"code": "b"}}
    mined = write_files(tmp_path / "mined", {"c1/P_dir/A.java": "class { a }"})
    (tmp_path / "one.json").write_text(json.dumps(record))
    assert run(["import", "npr4j-records", str(tmp_path / "one.json"), str(mined), "--to", str(tmp_path / "again")]) == 0
    assert "without the class" not in capsys.readouterr().err
    assert [found.context for found in read_pairs(tmp_path / "again", "train")] == ["class { a }"]


@pytest.mark.parametrize(
    ("name", "files", "message"),
    [
        ("codexglue", {"readme.txt": ""}, "holds no file *.buggy-fixed.buggy"),
        ("codexglue", {"test.buggy-fixed.buggy": "a\nb\n", "test.buggy-fixed.fixed": "a\n"}, "has 1 lines and"),
        ("bfp", {"test/buggy.txt": "a\n"}, "fixed.txt is missing"),
        ("npr4j-raw", {"data.ids": "x\n"}, "x.txt is missing"),
        ("codrep", {"readme.txt": ""}, "holds no folder Tasks"),
        ("codrep", {"Tasks/1.txt": "a\n\nb\n", "Solutions/1.txt": "9"}, "says line '9', and the file has 2 lines"),
        ("codrep", {"Tasks/1.txt": "a\n\nb\n"}, "1.txt is missing"),
        ("codrep", {"data.json": "{}\n"}, "line 1: the field 'buggy' is missing"),
        ("npr4j-records", {"data.json": '[{"id": "x"}]'}, "entry 1: the field 'method_info' is missing"),
        ("npr4j-records", {"data.json": '[{"id": '}, "data.json, line 1: not valid JSON"),
    ],
)
def test_a_wrong_source_is_one_message_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, files: dict[str, str], message: str
) -> None:
    source = write_files(tmp_path / "source", files)
    given = source / "data.json" if "data.json" in files else source
    assert run(["import", name, str(given), "--to", str(tmp_path / "made")]) == 2
    assert message in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["source"]


def test_published_pairs_are_complete(tmp_path: Path) -> None:
    if not SHARED.is_dir():
        pytest.skip("the published pairs are not at hand")
    source = SHARED / "codexglue_refinement/small"
    assert run(["import", "codexglue", str(source), "--to", str(tmp_path / "made")]) == 0
    assert read_head(tmp_path / "made")[1] == {"test": 5835, "valid": 5835}
