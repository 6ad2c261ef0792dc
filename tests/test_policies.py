"""Both policies give every candidate the same verdict: where one stops, the other only goes on.

`make test-differential` and `make test-hostile` run all bugs of `starter` and all hostile candidates; the ordinary tests a few.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Edit
from repairlab.core.outcome import Outcome, Verdict
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.validator import BugValidator, Conditions
from tests import builders
from tests.builders import write_files
from tests.hostile.test_hostile import ALL, Case, back_end, bug_of
from tests.test_differential import CANDIDATES, QUICK, candidates_of

RUNNER = """\
#!/bin/sh
{trick}
for name; do
    case $name in one|two|three|four|five|six) ./build/prog && echo "$name: passed" && continue ;; esac
    echo "$name: failed"
    bad=1
done
exit $bad
"""
TRICKS = {
    "a test crashes beside others": "[ $# -gt 1 ] && kill -SEGV $$",
    "a test fails beside others": '[ $# -gt 2 ] && { echo "$1: failed"; shift; bad=1; }',
    "a test fails alone": '[ $# -eq 1 ] && [ "$1" = two ] && { echo "two: failed"; exit 1; }',
    "nothing": "",
}


def both(bug: Bug, sandbox: Sandbox, *candidates: Candidate) -> Iterator[tuple[Outcome, Outcome]]:
    """Yield the outcomes of candidates under either policy, each on a validator of its own."""
    with BugValidator(Conditions(bug=bug), sandbox) as one, BugValidator(Conditions(bug=bug), sandbox) as two:
        for candidate in candidates:
            yield one.validate(candidate, policy="first-failure"), two.validate(candidate, policy="full")


def must_agree(first: Outcome, full: Outcome) -> None:
    assert first.verdict is full.verdict, f"{first.message} | {full.message}"
    assert first.stage == full.stage
    seen = [(test.id, test.verdict) for test in first.tests]
    assert seen == [(test.id, test.verdict) for test in full.tests][: len(seen)]


def starter() -> Iterator[Any]:
    for bug in open_benchmark("starter"):
        yield pytest.param(bug.id, CANDIDATES, marks=pytest.mark.differential, id=bug.id)
    yield from (pytest.param(bug_id, 4, id=f"{bug_id}-quick") for bug_id in (*QUICK, "c-ring-buffer-wrap", "java-header-split"))


@pytest.mark.parametrize(("bug_id", "n"), list(starter()))
def test_policies_agree_on_the_starter_benchmark(bug_id: str, n: int, sandbox: Sandbox) -> None:
    bug = open_benchmark("starter").bug(bug_id)
    for first, full in both(bug, sandbox, *candidates_of(bug, n)):
        must_agree(first, full)


def is_quick(case: Case) -> bool:
    """Say whether a case costs little: who waits for a limit, or for g++ or Go's linker, waits for it four times."""
    return case.quick and Verdict.TIMEOUT not in case.verdicts and not case.name.startswith(("cpp-", "go-"))


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case.name, marks=() if is_quick(case) and number % 2 == 0 else pytest.mark.hostile)
        for number, case in enumerate(ALL)
    ],
)
def test_policies_agree_on_hostile_candidates(case: Case) -> None:
    bug = bug_of(case)
    ((first, full),) = both(bug, back_end("bubblewrap"), case.candidate(bug))
    if len(case.verdicts) == 1:
        must_agree(first, full)
    else:  # chance has a part in it
        assert (first.verdict is Verdict.PLAUSIBLE) == (full.verdict is Verdict.PLAUSIBLE)


@pytest.mark.parametrize("trick", TRICKS)
def test_policies_agree_where_tests_share_a_process(tmp_path: Path, sandbox: Sandbox, trick: str) -> None:
    bug = lines_bug(tmp_path, RUNNER.format(trick=TRICKS[trick]))
    good = builders.candidate(bug, Edit(path="main.c", text="int main(void) { return 0; }\n"))
    ((first, full),) = both(bug, sandbox, good)
    must_agree(first, full)
    assert (first.verdict is Verdict.PLAUSIBLE) == (trick in ("nothing", "a test fails alone"))


def lines_bug(tmp_path: Path, runner: str) -> Bug:
    """Return a C bug with four tests that a script runs."""
    folder = tmp_path / "policies"
    texts = {
        "benchmark.toml": 'schema = 1\nname = "policies"\nversion = "1.0.0"\nlicence = "MIT"\ndescription = "for tests"\n',
        "bugs/one/bug.toml": (
            'schema = 1\nlanguage = "c"\npath = "main.c"\n[build]\ntool = "make"\n'
            '[test]\nframework = "lines"\nprogram = "run.sh"\nfiles = ["run.sh"]\ntrigger = ["one"]\n'
            'regression = ["two", "three", "four", "five", "six"]\n'
        ),
        "bugs/one/issue.md": "It fails\n",
        "bugs/one/buggy/main.c": "int main(void) { return 1; }\n",
        "bugs/one/buggy/Makefile": "build/prog: main.c\n\tmkdir -p build\n\t$(CC) -o $@ main.c\n",
        "bugs/one/buggy/run.sh": runner,
        "bugs/one/fix.patch": (
            "--- a/main.c\n+++ b/main.c\n@@ -1 +1 @@\n-int main(void) { return 1; }\n+int main(void) { return 0; }\n"
        ),
    }
    write_files(folder, texts)
    (folder / "bugs/one/buggy/run.sh").chmod(0o755)
    return open_benchmark(str(folder)).bug("one")
