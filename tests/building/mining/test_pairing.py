"""Submissions become pairs and bugs, in each form that they come in; what is dropped is told."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.cli.main import run
from repairlab.core.pair import Pair
from repairlab.learning.pairs.duplicates import text_key
from repairlab.learning.pairs.pair_files import read_head, read_pairs
from tests.builders import write_files

DOUBLE = "n = int(input())\nprint(n * 2)\n"
WRONG = "n = int(input())\nprint(n + {})\n"
HEAD = "problem,user,language,time,status,code\n"


def table(path: Path, rows: list[tuple[str, str, str, int, str, str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([HEAD.strip().split(","), *rows])
    return path


def pairs_of(folder: Path) -> dict[str, list[Pair]]:
    _, splits = read_head(folder)
    return {split: list(read_pairs(folder, split)) for split in splits}


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert run(["pairs", "make", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def contest(n: int) -> list[tuple[str, str, str, int, str, str]]:
    """Return the submissions to n problems, three users each; the program of one user is the same for all problems."""
    rows = []
    for problem in range(n):
        for user in range(3):
            fixed = DOUBLE if user == 0 else f"value = int(input())\nprint(value * {problem + 2}, {user})\n"
            rows += [
                (f"p{problem}", f"u{user}", "Python", 1, "Wrong Answer", WRONG.format(problem * 10 + user)),
                (f"p{problem}", f"u{user}", "Python", 2, "AC", fixed),
            ]
    return rows


def test_no_problem_and_no_text_is_in_two_splits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = answer(capsys, str(table(tmp_path / "contest.csv", contest(20))), "--to", str(tmp_path / "set"), "--path", "all")
    pairs = pairs_of(tmp_path / "set")
    assert set(pairs) == {"train", "valid", "test"}
    for what in (
        lambda pair: {pair.problem},
        lambda pair: {pair.id},
        lambda pair: {text_key(pair.buggy, "python"), text_key(pair.fixed, "python")},
    ):
        held = {split: set().union(*map(what, found)) for split, found in pairs.items()}
        assert not held["train"] & held["test"] and not held["train"] & held["valid"] and not held["valid"] & held["test"]
    splits = next(stage for stage in made["stages"] if stage["name"] == "splits")
    assert splits["reasons"] and splits["n"] == sum(map(len, pairs.values()))
    dropped = [json.loads(line) for line in (tmp_path / "set/dropped.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {item["reason"].split(":")[0] for item in dropped} == {"the same text is in another split"}
    assert (tmp_path / "set/funnel.svg").is_file() and (tmp_path / "set/funnel.json").is_file()
    assert run(["pairs", "stats", str(tmp_path / "set")]) == 0


def test_what_a_set_says_of_its_pairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        ("p", "u", "Python", 1, "TLE", WRONG.format(1)),
        ("p", "u", "Python", 2, "Judge Not Available", ""),
        ("p", "u", "Python", 3, "Accepted", DOUBLE),
        ("p", "v", "python", 1, "WA", WRONG.format(2)),
        ("p", "w", "C++", 1, "WA", "int main() {}"),
    ]
    source = table(tmp_path / "course.csv", rows)
    assert run(["pairs", "make", str(source), "--to", str(tmp_path / "set")]) == 2
    assert "choose it with --language: python (4), cpp (1)" in capsys.readouterr().err
    made = answer(capsys, str(source), "--to", str(tmp_path / "set"), "--language", "python")
    (pair,) = pairs_of(tmp_path / "set")["train"]
    assert (pair.problem, pair.verdict, pair.difficulty, pair.time) == ("p", "TLE", "medium", None)
    assert (pair.buggy, pair.fixed) == (WRONG.format(1), DOUBLE)
    reasons = {stage["name"]: stage["reasons"] for stage in made["stages"]}
    assert reasons["submissions"] == {"in another language": 1, "the judge did not get to a verdict": 1}
    assert reasons["paths"] == {"accepted: a fix, or no bug": 1, "nothing of the same user is accepted later": 1}


def test_copies_of_a_fix_are_dropped_unless_they_are_wanted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fixed = "".join(f"a{number} = int(input())\nprint(a{number} * {{}})\n" for number in range(8))
    rows = []
    for user in range(2):
        rows += [
            ("p", f"u{user}", "python", 1, "WA", WRONG.format(user)),
            ("p", f"u{user}", "python", 2, "AC", fixed.format(*"12345678")),
        ]
    rows += [("p", "u2", "python", 1, "WA", WRONG.format(7)), ("p", "u2", "python", 2, "AC", fixed.format(*"87654321"))]
    source = str(table(tmp_path / "course.csv", rows))
    made = answer(capsys, source, "--to", str(tmp_path / "one"))
    assert sum(made["splits"].values()) == 1
    made = answer(capsys, source, "--to", str(tmp_path / "all"), "--keep-near")
    assert sum(made["splits"].values()) == 3


def test_sources_that_are_no_pair_are_dropped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [("p", "u", "python", 1, "WA", DOUBLE + "# ?\n"), ("p", "u", "python", 2, "AC", DOUBLE)]
    source = str(table(tmp_path / "course.csv", rows))
    assert run(["pairs", "make", source, "--to", str(tmp_path / "set")]) == 2
    assert "no pair is found" in capsys.readouterr().err and not (tmp_path / "set").exists()
    rows[0] = ("p", "u", "python", 1, "WA", WRONG.format(1))
    source = str(table(tmp_path / "course.csv", rows))
    assert run(["pairs", "make", source, "--to", str(tmp_path / "set"), "--max-characters", "5"]) == 2
    assert "sources 0" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("problem,user\np,u\n", "the columns language, time, status are missing"),
        (HEAD, "has no submission"),
        (HEAD.replace(",code", "") + "p,u,python,1,AC\n", "a column 'file'"),
        (HEAD + "p,u,python,1,fine,x\n", "unknown status 'fine'"),
        (HEAD + "p,u,python,soon,AC,x\n", "time is 'soon'"),
        (HEAD + "p,u,python,inf,AC,x\n", "time is 'inf'"),
        (HEAD + "p,,python,1,AC,x\n", "the column 'user' is empty"),
        (HEAD.replace("code", "file") + "p,u,python,1,AC,../secret.py\n", "is no file below"),
        (HEAD + "p,u,cobol,1,AC,x\n", "none that is known, only cobol"),
    ],
)
def test_a_table_that_is_wrong_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str) -> None:
    (tmp_path / "course.csv").write_text(text, encoding="utf-8")
    assert run(["pairs", "make", str(tmp_path / "course.csv"), "--to", str(tmp_path / "set")]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "set").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere does not exist"),
        (["."], "has no form of submissions that is known"),
        (["course.csv", "--path", "best"], "unknown path 'best'"),
        (["course.csv", "--shares", "train=2"], "together they must be 1"),
        (["course.csv", "--limit", "0"], "at least 1 problem"),
        (["course.csv", "--problems", "nowhere"], "nowhere is no folder"),
        (["course.csv", "--language", "java"], "there is no submission in Java"),
        (["course.csv", "--language", "jva"], "Did you mean 'java'"),
    ],
)
def test_bad_arguments_have_one_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "course.csv", contest(1))
    assert run(["pairs", "make", *arguments, "--to", "set"]) == 2
    assert message in capsys.readouterr().err


def test_programs_of_nobody_cannot_be_paired(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(
        tmp_path / "data", {"question_1/code/wrong/wrong_1_001.py": WRONG.format(1), "question_1/code/correct/a.py": DOUBLE}
    )
    assert run(["pairs", "make", str(tmp_path / "data"), "--to", str(tmp_path / "set")]) == 2
    assert "does not say who wrote a program" in capsys.readouterr().err


CODENET = {
    "metadata/problem_list.csv": (
        "id,name,dataset,time_limit,memory_limit,rating,tags,complexity\n"
        "p00001,AtCoder Beginner Contest 141 - Double It,AtCoder,1000,262144,,,\np00002,Untested,AIZU,1000,262144,,,\n"
    ),
    **{
        f"metadata/{problem}.csv": (
            "submission_id,problem_id,user_id,date,language,original_language,filename_ext,status\n"
            f"s{n}1,{problem},u1,1600000000,Python,Python (3.4.3),py,Wrong Answer\n"
            f"s{n}2,{problem},u1,1600000060,Python,Python (3.4.3),py,Accepted\n"
            f"s{n}3,{problem},u2,1600000000,Python,Python (3.4.3),py,Runtime Error\n"
            f"s{n}4,{problem},u2,1600000060,Python,Python (3.4.3),py,Accepted\n"
        )
        for n, problem in enumerate(("p00001", "p00002"))
    },
    **{f"data/{problem}/Python/s{n}1.py": WRONG.format(n) for n, problem in enumerate(("p00001", "p00002"))},
    "data/p00001/Python/s02.py": DOUBLE,
    "data/p00001/Python/s03.py": "print(1 // 0)\n",
    "data/p00001/Python/s04.py": "print(3)\n",
    "data/p00002/Python/s12.py": "print(7)\n",
    "data/p00002/Python/s13.py": "print(1 // 0, 2)\n",
}
TESTS = {"ABC141/A/in/1.txt": "2\n", "ABC141/A/out/1.txt": "4\n", "problems.csv": "problem_id,folder\np00001,ABC141/A\n"}


@pytest.mark.timeout(300)
def test_pairs_with_tests_prove_themselves_and_are_bugs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(tmp_path / "net", CODENET)
    write_files(tmp_path / "tests", TESTS)
    to = tmp_path / "set"
    made = answer(capsys, str(tmp_path / "net"), "--to", str(to), "--problems", str(tmp_path / "tests"), "-j", "1")
    pairs = {pair.id: (split, pair) for split, found in pairs_of(to).items() for pair in found}
    assert set(pairs) == {"p00001-s01", "p00002-s11"}, "one fix fails its tests, one cannot be read"
    split, pair = pairs["p00001-s01"]
    assert (pair.difficulty, pair.time, pair.verdict) == ("A", "2020-09-13T12:27:40Z", "Wrong Answer")
    assert pairs["p00002-s11"][0] == "train", "nothing without tests is measured on"
    reasons = {stage["name"]: stage["reasons"] for stage in made["stages"]}
    assert reasons["tests"] == {"the right program is not accepted here": 1}
    assert reasons["sources"] == {"a program cannot be read": 1}
    (bug,) = open_benchmark(str(to))
    assert bug.id == "p00001-s01" and bug.labels.split == split
    assert bug.labels.difficulty == "A", "the letter of the task, as its pair has it"


@pytest.mark.timeout(300)
def test_letters_of_tasks_reach_the_tables_and_pictures_of_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    second = {path.replace("p00001", "p00003"): text for path, text in CODENET.items() if "p00001" in path}
    second = {path: text.replace("p00001", "p00003").replace("s0", "s3") for path, text in second.items()}
    second = {path.replace("/s0", "/s3"): text for path, text in second.items()}
    problems = CODENET["metadata/problem_list.csv"] + "p00003,AtCoder Beginner Contest 141 - Twice,AtCoder,1000,262144,,,\n"
    again = {path.replace("/A/", "/B/"): text for path, text in TESTS.items() if "/A/" in path}
    write_files(tmp_path / "net", CODENET | second | {"metadata/problem_list.csv": problems})
    write_files(tmp_path / "tests", TESTS | again | {"problems.csv": TESTS["problems.csv"] + "p00003,ABC141/B\n"})
    bugs, judged, tables = (str(tmp_path / name) for name in ("set", "run", "tables"))
    given = (str(tmp_path / "net"), "--problems", str(tmp_path / "tests"), "--path", "all", "--keep-near", "-j", "1")
    answer(capsys, *given, "--to", bugs)
    assert {bug.labels.difficulty for bug in open_benchmark(bugs)} == {"A", "B"}
    assert run(["run", bugs, "--repairer", "reference", "-n", "1", "--policy", "full", "-j", "1", "--to", judged]) == 0
    assert run(["report", "--tables", judged, "--only", "by-difficulty", "--only", "by-verdict", "--to", tables]) == 0
    with (tmp_path / "tables" / "by-difficulty.csv").open(encoding="utf-8") as file:
        assert [(row["difficulty"], row["pass@1 %"], row["TCA@1 %"], row["BLEU"]) for row in csv.DictReader(file)] == [
            ("A", "100.0", "100.0", "100.0"),
            ("B", "100.0", "100.0", "100.0"),
        ]
    assert (tmp_path / "tables" / "by-difficulty.svg").is_file()


def test_some_pairs_of_each_problem_are_drawn_for_the_last_split(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = []
    for number in range(12):
        user, right = f"u{number}", f"n{number} = int(input())\nprint(n{number} * 2)\n"
        rows.append(("p", user, "python", 1, "WA" if number % 4 else "CE", WRONG.format(number)))
        rows.append(("p", user, "python", 2, "AC", right))
    source = str(table(tmp_path / "course.csv", rows))
    options = ("--to", str(tmp_path / "set"), "--shares", "test=1", "--per-problem", "4")
    stages = answer(capsys, source, *options)["stages"]
    assert sorted(pair.verdict or "" for pair in pairs_of(tmp_path / "set")["test"]) == ["CE", "WA", "WA", "WA"]
    assert stages[-1] == {"name": "splits", "n": 4, "reasons": {"other pairs of its problem are drawn": 8}}


TIMES = '#include <stdio.h>\n#include <stdlib.h>\nint main() {{ long n; scanf("%ld", &n); printf("%ld\\n", {}); return 0; }}\n'
NET_ROWS = {
    "C": [
        ("u1", 10, "Compile Error", "n * {0} +"),
        ("u1", 20, "Wrong Answer", "n + {0}"),
        ("u1", 30, "Accepted", "n * {0}"),
        ("u2", 10, "Runtime Error", "{0} * *(volatile long *)0"),
        ("u2", 20, "Waiting for Judging", "n"),
        ("u2", 30, "Accepted", "{0} * n + 0 * labs(n)"),
        ("u3", 10, "Wrong Answer", "n"),
    ],
    "Python": [("u1", 40, "Wrong Answer", "n - {0}"), ("u1", 50, "Accepted", "{0} * n")],
}
N_PROBLEMS = 10


def codenet(folder: Path) -> Path:
    """Write a data set in the form of Project CodeNet: to multiply by 2, by 3 and so on, in two languages."""
    write_files(folder, {"metadata/problem_list.csv": "id,name,dataset,time_limit,memory_limit,rating,tags,complexity\n"})
    for factor in range(2, N_PROBLEMS + 2):
        problem = f"p{factor:05}"
        with (folder / "metadata" / "problem_list.csv").open("a", encoding="utf-8") as file:
            file.write(f"{problem},Times {factor},AIZU,1000,262144,,,\n")
        rows = [(language, n, *row) for language, rows in NET_ROWS.items() for n, row in enumerate(rows)]
        lines = ["submission_id,problem_id,user_id,date,language,original_language,filename_ext,status"]
        for language, n, user, when, status, expression in rows:
            ending, name = ("c", f"s{factor}1{n}") if language == "C" else ("py", f"s{factor}2{n}")
            text = TIMES if language == "C" else "n = int(input())\nprint({})\n"
            lines.append(f"{name},{problem},{user},{1600000000 + when},{language},{language},{ending},{status}")
            write_files(folder, {f"data/{problem}/{language}/{name}.{ending}": text.format(expression.format(factor))})
        write_files(folder, {f"metadata/{problem}.csv": "\n".join(lines) + "\n"})
        for n, value in enumerate((1, 7, -4)):
            write_files(
                folder, {f"tests/{problem}/in/{n}.txt": f"{value}\n", f"tests/{problem}/out/{n}.txt": f"{value * factor}\n"}
            )
    return folder


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_data_set_in_the_form_of_codenet_becomes_a_benchmark_that_is_healthy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    net, to = codenet(tmp_path / "net"), tmp_path / "set"
    assert run(["pairs", "make", str(net), "--problems", str(net / "tests"), "--to", str(to)]) == 2
    assert "choose it with --language: c (70), python (20)" in capsys.readouterr().err
    rest = ("--language", "c", "--problems", str(net / "tests"), "--to", str(to), "--path", "all", "-j", "1")
    made = answer(capsys, str(net), *rest)
    stages = {stage["name"]: stage for stage in made["stages"]}
    assert [stages[name]["n"] for name in ("submissions", "paths", "sources")] == [60, 30, 30]
    assert stages["submissions"]["reasons"] == {"in another language": 20, "the judge did not get to a verdict": 10}
    assert stages["paths"]["reasons"]["nothing of the same user is accepted later"] == 10
    splits = pairs_of(to)
    problems = {split: {pair.problem for pair in pairs} for split, pairs in splits.items()}
    assert set(splits) == {"train", "valid", "test"} and sum(map(len, problems.values())) == N_PROBLEMS
    verdicts = [pair.verdict for pairs in splits.values() for pair in pairs]
    assert {name: verdicts.count(name) for name in set(verdicts)} == {
        "Compile Error": 10,
        "Wrong Answer": 10,
        "Runtime Error": 10,
    }
    assert made["n_bugs"] == len(verdicts)
    assert run(["check", str(to), "--limit", "3", "-j", "1"]) == 0


STUDENT = "0123456789abcdef" * 8
SMALLEST = '#include <stdio.h>\nint main() {{ int a, b; scanf("%d %d", &a, &b); printf("%d is the smallest\\n", {}); return 0; }}\n'
PASSES = '{"blackbox": {"pass": ["1"], "fail": []}, "whitebox": {"pass": [], "fail": []}}'
FAILS = '{"blackbox": {"pass": [], "fail": ["1"]}, "whitebox": {"pass": [], "fail": []}}'
FOLDERS = {
    "itsp": {
        "Lab-3/2810/270010_buggy.c": '/*numPass=0, numTotal=1\nVerdict:WRONG_ANSWER, ExpOutput:"2"*/\n' + SMALLEST.format("a"),
        "Lab-3/2810/270010_correct.c": SMALLEST.format("a < b ? a : b"),
        "Lab-3/2810/270011_buggy.c": SMALLEST.format("b"),
        "test/in.2810.1.txt": "3 2\n",
        "test/out.2810.1.txt": "2 is the smallest\n",
    },
    "introclass": {
        f"smallest/{STUDENT}/000/smallest.c": SMALLEST.format("a"),
        f"smallest/{STUDENT}/000/metadata.json": FAILS,
        f"smallest/{STUDENT}/001/smallest.c": SMALLEST.format("a < b ? a : b"),
        f"smallest/{STUDENT}/001/metadata.json": PASSES,
        f"smallest/{STUDENT}/002/smallest.c": SMALLEST.format("a + 1"),
        f"smallest/{STUDENT}/002/metadata.json": FAILS,
        "smallest/tests/smallest.c": SMALLEST.format("0"),
        "smallest/tests/blackbox/1.in": "3 2\n",
        "smallest/tests/blackbox/1.out": "2 is the smallest\n",
    },
    "codeflaws": {
        "476-A-bug-16608008-16608059/476-A-16608008.c": SMALLEST.format("a"),
        "476-A-bug-16608008-16608059/476-A-16608059.c": SMALLEST.format("a < b ? a : b"),
        "476-A-bug-16608008-16608059/input-pos1": "3 2\n",
        "476-A-bug-16608008-16608059/output-pos1": "2 is the smallest\n",
    },
}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("form", FOLDERS)
def test_folders_of_students_and_contests_are_read(tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    source, to = write_files(tmp_path / form, FOLDERS[form]), tmp_path / "set"
    made = answer(capsys, str(source), "--to", str(to), "-j", "1")
    (pair,) = pairs_of(to)["train"]
    assert 'printf("%d is the smallest\\n", a)' in pair.buggy and "a < b" in pair.fixed
    assert "numPass" not in pair.buggy and "numPass" not in open_benchmark(str(to))[0].problem.source
    assert pair.verdict == "WRONG", "as it fails here, where nobody says more"
    (bug,) = open_benchmark(str(to))
    assert made["n_bugs"] == 1 and bug.id == pair.id
    assert bug.problem.submission_verdict == pair.verdict, "a model that reads verdicts can be asked about the bug"
    assert run(["pairs", "make", str(source), "--to", str(tmp_path / "other"), "--problems", str(source)]) == 2
    assert "come with tests of their own" in capsys.readouterr().err


def test_a_set_can_be_split_anew_by_problem(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer(capsys, str(table(tmp_path / "contest.csv", contest(20))), "--to", str(tmp_path / "set"), "--keep-near")
    assert run(["pairs", "split", str(tmp_path / "set"), "--to", str(tmp_path / "new"), "--by", "problem", "--seed", "3"]) == 0
    problems = [{pair.problem for pair in found} for found in pairs_of(tmp_path / "new").values()]
    assert len(problems) == 3 and sum(map(len, problems)) == len(set().union(*problems))
