"""One example of each format, written by hand after the real ones."""

import json
from pathlib import Path
from typing import Any

import pytest

from repairlab.benchmarks.catalog import Benchmark
from repairlab.cli.contracts.scoring import new_tree
from repairlab.core.outcome import Verdict
from repairlab.formats.table import recognise
from tests.conftest import PROGRAM
from tests.formats.conftest import COMMIT, JAVA, new_file, read

FIXED = PROGRAM.replace("= 1", "= 0")
FUNCTION = "def total(numbers):\n    return sum(numbers)"
GCD = JAVA.replace("gcd(a % b, b)", "gcd(b, a % b)")
METHOD = "public static int gcd(int a, int b) {\n        return b == 0 ? a : gcd(b, a % b);\n    }"
DIFF = "--- a/main.py\n+++ b/main.py\n@@ -2 +2 @@\n-    result = 1\n+    result = 0\n"


def store(path: Path, value: Any) -> Path:
    """Write JSON, or JSON Lines when the name says so."""
    lines = value if path.suffix == ".jsonl" else [value]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("form", ["lines", "list", "table", "short"])
def test_predictions_of_swebench_are_diffs(benchmark: Benchmark, tmp_path: Path, form: str) -> None:
    entry = {"instance_id": "sum", "model_name_or_path": "m", "model_patch": DIFF}
    empty = {"instance_id": "shop", "model_name_or_path": "m", "model_patch": None}
    value: Any = {
        "lines": [entry, empty],
        "list": [entry, empty],
        "table": {"sum": entry, "shop": empty},
        "short": {"sum": DIFF, "shop": ""},
    }[form]
    path = store(tmp_path / ("p.jsonl" if form == "lines" else "p.json"), value)
    assert form == "short" or recognise(path) == "swebench"
    found, errors = read("swebench", path, benchmark)
    assert not errors
    assert new_file(found[0].candidate, benchmark) == FIXED
    assert found[0].candidate.origin.model == (None if form == "short" else "m")
    assert found[1].candidate.problem == "the answer is empty"


def test_samples_of_evalplus_are_functions_files_or_bodies(benchmark: Benchmark, tmp_path: Path) -> None:
    lines = [
        {"task_id": "sum", "solution": FUNCTION + "\n"},
        {"task_id": "sum", "solution": FIXED},
        {"task_id": "tiny/sum", "completion": "    return sum(numbers)\n"},
        {"task_id": "sum", "completion": FUNCTION},
        {"task_id": "shop", "solution": "def total(self):\n    return sum(self.prices)\n"},
        {"task_id": "gcd", "completion": "\n        return b == 0 ? a : gcd(b, a % b);\n    }"},
    ]
    path = store(tmp_path / "samples.jsonl", lines)
    assert recognise(path) == "evalplus"
    found, errors = read("evalplus", path, benchmark)
    assert not errors
    texts = [new_file(item.candidate, benchmark) for item in found]
    whole = PROGRAM.replace(benchmark.bug("sum").problem.target.text, FUNCTION)
    assert texts[:4] == [whole, FIXED, whole, whole]
    assert texts[4].endswith("    def total(self):\n        return sum(self.prices)\n")
    assert texts[5] == JAVA.replace(benchmark.bug("gcd").problem.target.text, METHOD)
    assert [item.candidate.rank for item in found] == [1, 2, 3, 4, 1, 1]


def test_a_folder_of_evalplus_is_ranked_by_number(benchmark: Benchmark, tmp_path: Path) -> None:
    for number in (10, 9):
        (tmp_path / "samples/sum").mkdir(parents=True, exist_ok=True)
        (tmp_path / f"samples/sum/{number}.py").write_text(f"print({number})\n")
    assert recognise(tmp_path / "samples") == "evalplus"
    found, _ = read("evalplus", tmp_path / "samples", benchmark)
    assert [new_file(item.candidate, benchmark) for item in found] == ["print(9)\n", "print(10)\n"]


def test_a_docstring_belongs_to_the_head_that_a_completion_follows(tiny: Path, tmp_path: Path) -> None:
    from repairlab.benchmarks.catalog import open_benchmark  # noqa: PLC0415  # after the tree is changed

    source = PROGRAM.replace("    result = 1\n", '    """Add them.\n\n    All."""\n    result = 1\n')
    (tiny / "bugs/sum/buggy/main.py").write_text(source)
    (tiny / "bugs/sum/fix.patch").write_text("--- a/main.py\n+++ b/main.py\n@@ -5 +5 @@\n-    result = 1\n+    result = 0\n")
    benchmark = open_benchmark(str(tiny))
    found, _ = read(
        "evalplus", store(tmp_path / "s.jsonl", [{"task_id": "sum", "completion": "    return sum(numbers)\n"}]), benchmark
    )
    assert '    """Add them.\n\n    All."""\n    return sum(numbers)\n\n\nprint(' in new_file(found[0].candidate, benchmark)


def test_records_of_repairbench_have_code_answers_or_replies(benchmark: Benchmark, tmp_path: Path) -> None:
    fenced = f"Here it is:\n```java\n{METHOD}\n```\nDone."
    buggy = benchmark.bug("gcd").problem.target.text
    lines = [
        {"identifier": "GCD", "buggy_code": buggy, "prompt": "fix", "generation": [METHOD, fenced, "I ``` give up", None]},
        {"identifier": "gcd", "buggy_code": None, "generation": {"choices": [{"message": {"content": fenced}}]}},
        {"identifier": "gcd", "generation": [{"content": [{"type": "text", "text": fenced}]}]},
        {"identifier": "gcd", "generation": [{"candidates": [{"content": {"parts": [{"text": fenced}]}}]}]},
        {"identifier": "Csv-4", "buggy_code": "return n + n;", "generation": ["return 2 * n;"]},
    ]
    path = store(tmp_path / "r.jsonl", lines)
    assert recognise(path) == "repairbench"
    found, errors = read("repairbench", path, benchmark)
    assert not errors
    expected = JAVA.replace(buggy, METHOD)
    usable = [item.candidate for item in found if item.candidate.problem is None]
    assert [new_file(item, benchmark) for item in usable] == [expected] * 5 + [JAVA.replace("n + n", "2 * n")]
    assert [(item.candidate.rank, item.candidate.answer) for item in found if item.candidate.problem] == [
        (3, "I ``` give up"),
        (4, None),
    ]


def test_evaluations_of_repairbench_are_published_verdicts(benchmark: Benchmark, tmp_path: Path) -> None:
    flags = [(True, True), (True, False), (False, False), (None, None)]
    evaluation = [{"generation": f"{METHOD} // {n}", "compile": a, "test": b} for n, (a, b) in enumerate(flags)]
    path = store(tmp_path / "r.jsonl", [{"identifier": "gcd", "generation": None, "evaluation": [*evaluation, None]}])
    found, _ = read("repairbench", path, benchmark)
    assert [item.known.word if item.known else None for item in found] == ["pass", "fail", "uncompilable", None, None]


def test_candidates_of_nl2fix_are_methods_by_index(benchmark: Benchmark, tmp_path: Path) -> None:
    key = "Csv_4_src/main/java/demo/GCD.java_13_15"
    patches = [
        {"patch": "static int twice(int n) { return 3 * n; }", "index": 1},
        {"patch": "static int twice(int n) { return 2 * n; }", "index": 0},
    ]
    path = store(tmp_path / "c.json", {key: {"prompt": "p", "patches": patches, "response_length": 2, "unique_patches": 2}})
    assert recognise(path) == "nl2fix"
    found, errors = read("nl2fix", path, benchmark)
    assert not errors
    assert ["2 * n" in new_file(item.candidate, benchmark) for item in found] == [True, False]


def test_validated_candidates_of_nl2fix_have_verdicts(benchmark: Benchmark, tmp_path: Path) -> None:
    words = ["plausible", "wrong", "uncompilable", "timeout", "init-error", None]
    patches = [{"patch": METHOD, "index": n, "correctness": name} for n, name in enumerate(words)]
    patches.append({"patch": METHOD, "index": 6, "correctness": "plausible", "failing_relevant": 2})
    path = store(tmp_path / "gcd-validated.jsonl", [{"gcd": {"patches": patches}}])
    assert recognise(path) == "nl2fix"
    found, _ = read("nl2fix", path, benchmark)
    known = [item.known.verdicts[0] if item.known else None for item in found]
    assert known == [Verdict.PLAUSIBLE, Verdict.WRONG, Verdict.UNCOMPILABLE, Verdict.TIMEOUT, None, None, Verdict.WRONG]
    (tmp_path / "v").mkdir()
    for bug in ("gcd", "half"):
        store(tmp_path / f"v/{bug}-validated.jsonl", [{bug: {"patches": patches}}])
    assert recognise(tmp_path / "v") == "nl2fix"
    found, errors = read("nl2fix", tmp_path / "v", benchmark)
    assert not errors and len(found) == 2 * len(patches)


@pytest.mark.parametrize(
    "value",
    [
        {"1": "A", "2": "B", "10": "C"},
        {"0": "A", "1": "B", "2": "C"},
        {"match_result": 3, "patches": {"1": "A", "2": "B", "3": "C"}},
    ],
)
def test_patches_of_npr4j_are_methods_by_rank(benchmark: Benchmark, tmp_path: Path, value: Any) -> None:
    path = store(tmp_path / "x.patches", {"qbs_GCD": value})
    assert recognise(path) == "npr4j-patches"
    found, errors = read("npr4j-patches", path, benchmark)
    assert not errors
    assert [item.candidate.edits[0].text for item in found] == ["A", "B", "C"]


def test_patch_lists_of_npr4j_name_whole_files_that_lie_beside_them(benchmark: Benchmark, tmp_path: Path) -> None:
    (tmp_path / "l/defects4j<SEP>gcd").mkdir(parents=True)
    (tmp_path / "l/defects4j<SEP>gcd/GCD.1.patch").write_text(GCD)
    (tmp_path / "l/GCD.2.patch").write_text("class GCD {}")
    content = [
        {"relative_file_position": "demo/GCD.java", "patch_content_position": "/home/x/results/defects4j<SEP>gcd/GCD.%d.patch"}
    ]
    entries = [
        {
            "bug_id": "defects4j<SEP>gcd",
            "patch_index": rank,
            "patch_contents": json.loads(json.dumps(content).replace("%d", str(rank))),
        }
        for rank in (2, 1)
    ]
    path = store(tmp_path / "l/defects4j<SEP>gcd.CodeBERT.patchinfo.json", entries)
    for place in (path, path.parent):
        assert recognise(place) == "npr4j-patchinfo"
        found, errors = read("npr4j-patchinfo", place, benchmark)
        assert not errors
        assert [new_file(item.candidate, benchmark) for item in found] == [GCD, "class GCD {}"]
        assert found[0].candidate.origin.model == "CodeBERT"


def test_a_patch_list_reads_nothing_outside_its_folder(benchmark: Benchmark, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "l").mkdir()
    (tmp_path / "l/link").symlink_to(tmp_path / "secret")
    for position in (str(tmp_path / "secret"), "../secret", "link"):
        content = [{"relative_file_position": "demo/GCD.java", "patch_content_position": position}]
        path = store(tmp_path / "l/x.patchinfo.json", [{"bug_id": "gcd", "patch_index": 1, "patch_contents": content}])
        found, errors = read("npr4j-patchinfo", path, benchmark)
        assert not found and "patch_content_position" in errors[0].reason


def test_generations_of_fixeval_are_programs_with_counts_of_cases(benchmark: Benchmark, tmp_path: Path) -> None:
    counts = {"total_test_cases": 2, "test_cases_run_by_generations": [2, 1], "idx": 0}
    merged = {"src_id": "sum", "generations": ["x", "y"], "detokenized_generations": [FIXED, PROGRAM]} | counts
    line = "def f ( ) : NEW_LINE INDENT print ( '▁' ) NEW_LINE DEDENT f ( ) NEW_LINE"
    path = store(tmp_path / "generation.json", [merged, {"src_id": "p00001_sum", "generations": [line.split(), line]}])
    assert recognise(path) == "fixeval"
    found, errors = read("fixeval", path, benchmark)
    assert not errors
    program = "def f ( ) :\n    print ( ' ' )\nf ( )\n"
    assert [new_file(item.candidate, benchmark) for item in found] == [FIXED, PROGRAM, program, program]
    assert [item.known.word if item.known else None for item in found] == ["pass", "fail", None, None]
    java = store(tmp_path / "java.json", [{"src_id": "gcd", "generations": ["class A { NEW_LINE }"]}])
    assert new_file(read("fixeval", java, benchmark)[0][0].candidate, benchmark) == "class A { }\n"


def test_files_of_defects4c_belong_to_a_commit(benchmark: Benchmark, tmp_path: Path) -> None:
    (tmp_path / "patches/p/run").mkdir(parents=True)
    (tmp_path / f"patches/p/run/{'a' * 32}@{COMMIT}___half.c").write_text("int half(int n) { return n / 2; }\n")
    (tmp_path / "patches/p/notes.txt").write_text("not a patch")
    assert recognise(tmp_path / "patches") == "defects4c"
    found, errors = read("defects4c", tmp_path / "patches", benchmark)
    assert not errors
    assert new_tree(found[0].candidate, benchmark) == {"src/half.c": "int half(int n) { return n / 2; }\n"}


def clm_entry(*outputs: Any) -> dict[str, Any]:
    head = "public static int gcd(int a, int b) {\n    if (b == 0) {\n        return a;\n    } else {\n"
    shown = head + "</s>        return gcd(a % b, b);\n</s>    }\n}\n"
    return {"loc": "19-20", "input": shown, "output": list(outputs)}


def test_lines_of_clm_are_found_by_their_tokens(benchmark: Benchmark, tmp_path: Path) -> None:
    words = ["plausible", "wrong", "timeout", "uncompilable"]
    texts = ["        return gcd(b, a % b);\n", "return 0;", "", "return"]
    outputs = [{"patch": text, "correctness": name} for text, name in zip(texts, words, strict=True)]
    path = store(tmp_path / "codet5_validate.json", {"config": "finetune", "data": {"GCD": clm_entry(*outputs)}})
    assert recognise(path) == "clm"
    found, errors = read("clm", path, benchmark)
    assert not errors
    assert [item.known.word for item in found if item.known] == words
    buggy = "return gcd(a % b, b);"
    assert [new_file(item.candidate, benchmark) for item in found] == [JAVA.replace(buggy, text.strip()) for text in texts]


def test_other_marks_and_a_function_that_differs_a_little_are_understood(benchmark: Benchmark, tmp_path: Path) -> None:
    entry = clm_entry({"patch": "return gcd(b, a % b);", "correctness": "plausible"})
    comments = entry["input"].replace("</s>", "// buggy lines start:\n", 1).replace("</s>", "// buggy lines end:\n", 1)
    shown = [
        comments + "// fixed lines:\n",
        "<s> " + " ".join(entry["input"].split()) + " </s> java",
        entry["input"].replace("return a;", "return +a;").replace("gcd(a % b, b)", "gcd(a, b)"),
    ]
    for number, text in enumerate(shown):
        path = store(tmp_path / f"{number}.json", {"config": "finetune", "data": {"GCD": entry | {"input": text}}})
        found, errors = read("clm", path, benchmark)
        assert not errors
        assert new_file(found[0].candidate, benchmark) == GCD
        assert found[0].known is not None and found[0].known.word == "plausible"
        assert found[0].known.other_source == (number == 2)


def test_a_mask_of_clm_stands_for_the_lines_that_are_missing(benchmark: Benchmark, tmp_path: Path) -> None:
    entry = clm_entry({"patch": "return gcd(b, a % b);", "correctness": "plausible"}) | {"function range": "5,5-11,5"}
    before, buggy, after = entry["input"].split("</s>")
    shown = {
        before + "        <extra_id_0>\n" + after: False,
        before + "// buggy line: " + buggy.strip() + "\n        <extra_id_0>\n" + after: False,
        before.replace("return a;", "return +a;") + "<extra_id_0>" + after: True,
    }
    for number, (text, other_source) in enumerate(shown.items()):
        data = {"config": "CODET5_BASE_CODEFORM_MASKFORM_NOCOMMENT", "data": {"GCD": entry | {"input": text}}}
        found, errors = read("clm", store(tmp_path / f"{number}.json", data), benchmark)
        assert not errors
        assert new_file(found[0].candidate, benchmark) == GCD
        assert found[0].known is not None and found[0].known.other_source == other_source


def test_raw_outputs_and_whole_functions_of_clm_are_understood(benchmark: Benchmark, tmp_path: Path) -> None:
    raw = clm_entry("<pad><s>        return gcd(b, a % b);\n</s></s>")
    found, _ = read("clm", store(tmp_path / "a.json", {"config": "finetune", "data": {"GCD": raw}}), benchmark)
    assert new_file(found[0].candidate, benchmark) == GCD
    other = "static int twice(int n) { return 2 * n; }"
    whole = {
        "loc": "1-2",
        "input": "…",
        "function range": "5,5-11,5",
        "output": [{"patch": METHOD, "correctness": "plausible"}, other],
    }
    path = store(tmp_path / "b.json", {"config": "CODEGEN_COMPLETE_CODEFORM_NOCOMMENT", "data": {"GCD": whole}})
    found, errors = read("clm", path, benchmark)
    assert not errors
    target = benchmark.bug("gcd").problem.target.text
    old = benchmark.bug("Csv-4").problem.target.text
    assert [new_file(item.candidate, benchmark) for item in found] == [JAVA.replace(target, METHOD), JAVA.replace(old, other)]


def test_an_insertion_of_clm_goes_before_what_follows(benchmark: Benchmark, tmp_path: Path) -> None:
    entry = {"loc": "14-14", "input": "static int twice(int n) {\n</s></s>    return n + n;\n}", "output": [{"patch": "n *= 1;\n"}]}
    found, errors = read("clm", store(tmp_path / "a.json", {"config": "finetune", "data": {"Csv-4": entry}}), benchmark)
    assert not errors
    assert "        n *= 1;\nreturn n + n;" in new_file(found[0].candidate, benchmark)


def test_diffs_are_found_by_folder_or_name_and_ranked_by_number(benchmark: Benchmark, tmp_path: Path) -> None:
    (tmp_path / "d/sum").mkdir(parents=True)
    for name in ("d/sum/10.diff", "d/sum/2.patch", "d/shop.diff"):
        (tmp_path / name).write_text(DIFF.replace("= 0", f"= 0  # {name}"))
    assert recognise(tmp_path / "d") == recognise(tmp_path / "d/shop.diff") == "diffs"
    found, errors = read("diffs", tmp_path / "d", benchmark)
    assert not errors
    texts = [item.candidate.edits[0].text for item in found if item.candidate.bug_id == "sum"]
    assert texts == ["    result = 0  # d/sum/2.patch\n", "    result = 0  # d/sum/10.diff\n"]
    shop = next(item.candidate for item in found if item.candidate.bug_id == "shop")
    assert shop.problem is not None and "not in the tree" in shop.problem
