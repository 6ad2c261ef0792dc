"""What a program under judgement can see of its surroundings is the same in every run, and nothing of the host's."""

import ast
import dataclasses
import os
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Edit
from repairlab.core.outcome import Verdict
from repairlab.runs.experiment import make_experiment
from repairlab.runs.run import finish_run, start_run
from repairlab.runs.store import Store
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.machine import Machine
from repairlab.validation.validator import BugValidator, Conditions, validate
from tests import builders
from tests.conftest import without_places

PROGRAM = """\
import locale, os, random, resource, signal, sys, time
mask = os.umask(0)
seen = {
    "environment": sorted(os.environ.items()),
    "umask": oct(mask),
    "zone": [time.tzname, time.timezone],
    "locale": [locale.setlocale(locale.LC_ALL, ""), sys.stdout.encoding, sys.getfilesystemencoding()],
    "hash": [hash("seed"), list({"one", "two", "three"})],
    "place": [os.getcwd(), os.uname().nodename, sys.argv, sorted(os.listdir("."))],
    "nice": os.nice(0),
    "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
    "ignored": [int(number) for number in signal.Signals if signal.getsignal(number) is signal.SIG_IGN],
    "limits": [resource.getrlimit(name) for name in (resource.RLIMIT_CORE, resource.RLIMIT_STACK, resource.RLIMIT_NOFILE)],
    "open": sorted(os.listdir("/proc/self/fd")),
    "flags": list(sys.flags),
}
for name, value in seen.items():
    print(name, value, file=sys.stderr)
sys.exit(1)
"""
HOST = {
    "TZ": "Asia/Tokyo", "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8", "PYTHONHASHSEED": "7", "PYTHONPATH": "/nowhere",
    "LD_PRELOAD": "", "JAVA_TOOL_OPTIONS": "", "HOST_SECRET": "do not tell",
}  # fmt: skip


def candidate(bug: Bug, number: int) -> Candidate:
    """Return a candidate that differs from others in a name alone, so that nobody takes them for equal."""
    text = PROGRAM.replace("seen", f"seen_{number}")
    return builders.candidate(bug, Edit(path="main.py", text=text), rank=number)


def test_programs_see_the_same_in_new_processes_and_where_processes_stay(
    bug: Bug, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = validate(candidate(bug, 0), bug, sandbox)
    assert fresh.verdict is Verdict.CRASH and "umask 0o22\n" in fresh.evidence, fresh
    for name, value in HOST.items():
        monkeypatch.setenv(name, value)
    before = os.umask(0o077)
    try:
        again = validate(candidate(bug, 1), bug, sandbox)
        with BugValidator(Conditions(bug=bug), sandbox) as validator:
            warm = [validator.validate(candidate(bug, number)) for number in range(2, 6)]
    finally:
        os.umask(before)
    assert [without_places(outcome.evidence) for outcome in (again, *warm)] == [without_places(fresh.evidence)] * 5


def test_nothing_of_the_hosts_environment_is_visible(bug: Bug, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in HOST.items():
        monkeypatch.setenv(name, value)
    lines = dict(line.split(" ", 1) for line in validate(candidate(bug, 0), bug, sandbox).evidence.splitlines())
    names = {name for name, _ in ast.literal_eval(lines["environment"])}
    assert names - {"LD_LIBRARY_PATH", "JDK_JAVA_OPTIONS"} == {
        "PATH", "HOME", "TMPDIR", "LC_ALL", "LANG", "TZ", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "GIT_CONFIG_NOSYSTEM",
    }  # fmt: skip
    assert "do not tell" not in str(lines)
    assert lines["zone"] == "[('UTC', 'UTC'), 0]" and lines["locale"].count("UTF-8") >= 1


def test_programs_see_the_same_with_one_worker_and_with_two(tiny: Path, tmp_path: Path, machine: Machine) -> None:
    (tiny / "bugs/sum").rename(tiny / "bugs/sum0")
    copy_folder(tiny / "bugs/sum0", tiny / "bugs/sum1")
    benchmark = open_benchmark(str(tiny))
    bugs = [benchmark.bug("sum0"), benchmark.bug("sum1")]
    seen: list[str] = []
    for round_, workers in enumerate((1, 2, 2)):
        # Other names in each round: none is answered from what an earlier one found out.
        given = {bug.id: [candidate(bug, 10 * round_ + number) for number in range(3)] for bug in bugs}
        folder = tmp_path / f"run{round_}"
        here = dataclasses.replace(machine, workers=workers, use_verdicts=False)
        experiment = make_experiment({"benchmark": str(tiny), "repairer": "given", "n": 3, "include": ("sum*",)})
        start_run(experiment, benchmark, folder, here)
        finish_run(benchmark, folder, here, lambda _: None, given=given)
        outcomes = list(Store(folder).outcomes())
        assert len(outcomes) == 6 and {outcome.verdict for outcome in outcomes} == {Verdict.CRASH}
        seen += [without_places(outcome.evidence) for outcome in outcomes]
    assert len(set(seen)) == 1


def copy_folder(source: Path, target: Path) -> None:
    for path in source.rglob("*"):
        if path.is_file():
            (target / path.relative_to(source)).parent.mkdir(parents=True, exist_ok=True)
            (target / path.relative_to(source)).write_bytes(path.read_bytes())
