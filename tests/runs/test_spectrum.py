import dataclasses
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.cli.main import run
from repairlab.core.bug import Bug, Case
from repairlab.core.errors import HarnessError, UserError
from repairlab.repairers.templates.fix_site import Site
from repairlab.repairers.templates.locate import places
from repairlab.runs.experiment import make_experiment
from repairlab.runs.run import finish_run, start_run
from repairlab.runs.spectrum import Spectrum, SpectrumPlace, _Notes, measure_spectra, spectrum_of
from repairlab.runs.store import Store
from repairlab.runs.suspects import fault_of, located, rank_functions, rank_lines
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.machine import Machine
from repairlab.validation.tree_tester import TreeTester

REAL = {
    "python-grade-report": 8,
    "javascript-bill-split": 6,
    "go-booking-merge": 6,
    "java-matrix-product": 9,
    "c-ring-buffer-wrap": 7,
    "cpp-range-sums": 7,
}
"""A bug of each language, and how many tests it has."""


def starter(bug_id: str) -> Bug:
    return open_benchmark("starter").bug(bug_id)


@pytest.mark.parametrize(("bug_id", "n_tests"), REAL.items())
def test_failing_tests_of_each_language_come_by_the_fault(bug_id: str, n_tests: int, sandbox: Sandbox) -> None:
    bug = starter(bug_id)
    spectrum = spectrum_of(bug, sandbox)
    assert (spectrum.problem, spectrum.left_out, spectrum.n_failed + spectrum.n_passed) == ("", (), n_tests)
    by_line = {(place.path, place.line): place for place in spectrum.places}
    fault = fault_of(bug).lines
    assert fault and all(by_line[line].failed == spectrum.n_failed for line in fault)
    assert spectrum.n_failed and spectrum.n_passed
    problem = located(bug, spectrum)
    assert not isinstance(problem, str)
    assert problem.location == problem.suspects[:1] and problem.source == bug.problem.files[problem.path]
    assert problem.target.text == problem.target.span.of(problem.source)
    assert problem.files.keys() == bug.problem.files.keys()


def test_a_tree_that_does_not_build_has_no_place(sandbox: Sandbox) -> None:
    bug = starter("c-roman-no-build")
    spectrum = spectrum_of(bug, sandbox)
    assert spectrum.problem.startswith("the tree does not build: roman.c:36")
    assert located(bug, spectrum) == spectrum.problem


def test_a_spectrum_is_measured_once(machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Spectrum] = []
    own = dataclasses.replace(machine, cache=tmp_path)
    measure_spectra([starter("c-bitmap-last-run")], own, found.append)
    monkeypatch.setattr("repairlab.runs.spectrum.open_pool", lambda machine: pytest.fail("measured again"))
    measure_spectra([starter("c-bitmap-last-run")], own, found.append)
    assert found[0] == found[1] and found[0].n_failed


HOSTILE = """\
import os, sys
sys.path.insert(0, ".")
def total(numbers):
    result = 1
    for root in ("/work", "."):
        try:
            notes = root + "/.repairlab-hits"
            %s
        except OSError:
            pass
    return result + sum(numbers)


print(total(int(word) for word in input().split()))
"""


@pytest.mark.parametrize(
    "attack",
    [
        "os.remove(notes); os.symlink('/etc/passwd', notes)",
        "os.remove(notes); os.mkfifo(notes)",
        "os.remove(notes); os.mkdir(notes)",
        "open(notes, 'w').write('999999999999999999999999\\\\n-1\\\\n77777\\\\nx\\\\n' * 9)",
        "os.kill(os.getpid(), 9)",
    ],
)
def test_hostile_code_spoils_no_more_than_its_own_ranks(attack: str, tiny: Path, sandbox: Sandbox) -> None:
    bug = open_benchmark(str(tiny)).bug("sum")
    limits = dataclasses.replace(bug.oracle.limits, wall_s=1.0)  # a program that waits for a reader of its pipe waits long
    problem = dataclasses.replace(bug.problem, source=HOSTILE % attack)
    hostile = dataclasses.replace(bug, problem=problem, oracle=dataclasses.replace(bug.oracle, limits=limits))
    spectrum = spectrum_of(hostile, sandbox)
    assert spectrum.n_failed
    assert all(0 <= place.failed <= spectrum.n_failed and place.line <= 16 for place in spectrum.places)


def test_notes_that_are_no_file_say_nothing(tmp_path: Path) -> None:
    notes = _Notes(tmp_path, 3)
    assert notes.read() == set()
    notes.clear()
    path = next(tmp_path.iterdir())
    path.write_text("1\n2\n3\n-1\nx\n" + "9" * 5000, encoding="ascii")
    assert notes.read() == {1, 2}
    path.unlink()
    os.mkfifo(path)
    assert notes.read() == set()
    path.unlink()
    path.symlink_to("/etc/passwd")
    assert notes.read() == set()
    notes.clear()
    assert notes.read() == set() and path.is_file() and not path.is_symlink()


def place(line: int, function: str, failed: int, passed: int, begins: int = 0) -> SpectrumPlace:
    return SpectrumPlace(path="a.py", line=line, function=function, begins=begins, failed=failed, passed=passed)


def test_ranks_of_a_spectrum_by_hand() -> None:
    places = (
        place(2, "f", 1, 3, 1),
        place(3, "f", 1, 0, 1),
        place(7, "g", 1, 1, 6),
        place(8, "g", 0, 3, 6),
        place(9, "g", 0, 1, 6),
    )
    spectrum = Spectrum(bug_id="a", n_failed=1, n_passed=3, n_lines=7, n_functions=3, places=places)
    lines = rank_lines(spectrum, "ochiai")
    assert [(item.place.line, round(item.score, 3), item.rank) for item in lines.places] == [
        (3, 1.0, 1),
        (7, 0.707, 2),
        (2, 0.5, 3),
        (8, 0.0, 5.5),  # with line 9 and the two that no test comes by
        (9, 0.0, 5.5),
    ]
    assert (lines.last, lines.n) == (5.5, 7)
    functions = rank_functions(spectrum, "tarantula")
    assert [(item.place.function, item.rank) for item in functions.places] == [("f", 1), ("g", 2)]
    assert (functions.last, functions.n) == (3, 3)
    assert rank_lines(spectrum, "dstar").places[0].score == float("inf")


def spectrum_run(bug_id: str, machine: Machine, folder: Path, **more: object) -> Store:
    visibility = {"localisation": "spectrum", "context": True}
    settings = {"benchmark": "starter", "repairer": "templates", "n": 3, "k": [1], "include": [bug_id], "visibility": visibility}
    benchmark, own = open_benchmark("starter"), dataclasses.replace(machine, cache=folder / "cache")
    start_run(make_experiment({**settings, **more}), benchmark, folder / "run", own)
    finish_run(benchmark, folder / "run", own, lambda step: None)
    return Store(folder / "run")


def test_a_run_tries_computed_places_in_their_order(machine: Machine, tmp_path: Path) -> None:
    store = spectrum_run("go-booking-merge", machine, tmp_path)
    candidates = list(store.candidates())
    assert len(candidates) == 3
    assert {edit.path for candidate in candidates for edit in candidate.edits} == {"calendar/merge.go"}
    bug = starter("go-booking-merge")
    problem = located(bug, spectrum_of(bug, machine.open_sandbox()))
    assert not isinstance(problem, str)
    first, *others = places(problem)
    assert (
        isinstance(first.at, Site)
        and first.weight == 1.0
        and first.at.code.first_line(first.at.statement) == problem.suspects[0].first
    )
    assert min(place.weight for place in others) < 0.4


def test_a_bug_without_a_computed_place_is_unfit(machine: Machine, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="any of the bugs: no place of c-roman-no-build could be computed: the tree does not"):
        spectrum_run("c-roman-no-build", machine, tmp_path)
    with pytest.raises(UserError, match="1 of 2 bugs"):
        spectrum_run("c-[br]*-[nl]*", machine, tmp_path)
    store = spectrum_run("c-[br]*-[nl]*", machine, tmp_path, skip_unfit=True)
    assert store.manifest().bug_ids == ("c-bitmap-last-run",)


def test_nothing_else_runs_tests_to_find_the_place(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(["prompt", "starter/c-bitmap-last-run", "--localisation", "spectrum"]) == 2
    assert "only `repairlab run`" in capsys.readouterr().err
    assert run(["serve", "--localisation", "spectrum", "starter"]) == 2
    assert "unknown localisation 'spectrum'" in capsys.readouterr().err
    monkeypatch.setenv("REPAIRLAB_CACHE", str(tmp_path / "cache"))
    plan = ["run", "starter", "--repairer", "templates", "-i", "c-bitmap*", "--localisation", "spectrum", "--dry-run"]
    assert run([*plan, "--to", str(tmp_path / "run")]) == 2
    assert "have not been run to locate it. Do so first: repairlab locate" in capsys.readouterr().err


def test_a_busy_machine_costs_no_trigger_test_and_is_not_remembered(
    tiny: Path, machine: Machine, sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bug = open_benchmark(str(tiny)).bug("shop")
    whole = spectrum_of(bug, sandbox)
    run_tests = TreeTester.run

    def busy(self: TreeTester, tests: Sequence[str], cases: Sequence[Case]) -> None:
        run_tests(self, tests, cases)
        raise HarnessError("the machine is too busy")

    monkeypatch.setattr(TreeTester, "run", busy)
    seen = spectrum_of(bug, sandbox)
    assert (whole.n_failed, seen.n_failed, seen.n_passed) == (len(bug.oracle.trigger), len(bug.oracle.trigger), 0)
    lost = dataclasses.replace(bug, tree=dataclasses.replace(bug.tree, source="/nowhere"))
    found: list[Spectrum] = []
    for _ in range(2):
        measure_spectra([lost], dataclasses.replace(machine, cache=tmp_path), found.append)
    assert [item.problem[:18] for item in found] == ["cannot lay out bug"] * 2
    assert not list(tmp_path.glob("spectra/*"))
