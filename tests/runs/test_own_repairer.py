"""Repairers without a package: of a file, or objects of the caller's."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import repairlab as rl
from repairlab.cli.main import run as command
from repairlab.core.errors import UserError
from repairlab.repairers.plain import load_reference
from repairlab.runs.own_object import _pickled
from repairlab.runs.store import Store
from repairlab.sandbox.sandbox import Sandbox

FIX = {
    "shop": "def total(self):\n        return sum(self.prices)\n",
    "sum": "def total(numbers):\n    return sum(numbers)\n",
}
FILE_OF_ALL = """\
import os
from repairlab.core.record import record
from helper import FIX

@record
class Knobs:
    word: str = "no idea"
    depth: int = 1

class Mine:
    name = "mine"
    def propose(self, problem, history):
        yield "no idea"
        yield FIX[problem.id]

class Set:
    name = "set"
    Settings = Knobs
    def __init__(self, settings):
        self.settings = settings
    def propose(self, problem, history):
        for _ in range(self.settings.depth):
            yield self.settings.word
        yield FIX[problem.id]

class Talker:
    name = "talker"
    def propose(self, problem, history):
        yield FIX[problem.id] if history else f"no idea"

class Picky(Mine):
    def unfit(self, problem):
        return "it has no class" if problem.id == "sum" else None

class Bookkeeper(Mine):
    def start(self, context):
        self.context = context
    def propose(self, problem, history):
        self.context.append(self.context.folder / "mine.jsonl", b'{"bug": "' + problem.id.encode() + b'"}')
        self.context.notify(f"asked about {problem.id}")
        yield FIX[problem.id]

class Broken(Mine):
    def propose(self, problem, history):
        raise ZeroDivisionError("out of luck")
        yield

class Unready(Mine):
    def start(self, context):
        self.model.load()

class Needy(Mine):
    def __init__(self, model):
        pass

class Forgetful:
    def propose(self, problem):
        yield FIX[problem.id]

class Mute:
    pass

def greedy(problem, history):
    return []

def function(problem):
    return ["no idea", FIX[problem.id]]

made = Mine()
forgetful = Forgetful()
number = 3
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "helper.py").write_text(f"FIX = {FIX!r}\n")
    path = tmp_path / "own.py"
    path.write_text(FILE_OF_ALL)
    (tmp_path / "broken.py").write_text("x = 1\nraise ValueError('no')\n")
    (tmp_path / "wrong.py").write_text("def f(:\n")
    (tmp_path / "leaves.py").write_text("import sys\nsys.exit(3)\n")
    return path


def ran(arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = command(["run", *arguments.split(), "--no-cache", "-j", "2"])
    return code, capsys.readouterr().err


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("none.py:Mine", "cannot read the file of the repairer"),
        ("own.py", "write own.py:NAME"),
        ("own.py:", "write own.py:NAME"),
        ("own.py:Mien", "unknown repairer 'Mien'. Did you mean 'Mine'?"),
        ("own.py:Mute", "own.py: Mute has no propose"),
        ("own.py:number", "own.py: number has no propose"),
        ("own.py:Forgetful", "own.py: Forgetful.propose must take (problem, history)\n"),
        ("own.py:forgetful", "own.py: forgetful.propose must take (problem, history)\n"),
        ("own.py:greedy", "own.py: greedy must take (problem)\n"),
        ("own.py:Needy", "cannot be made: missing a required argument: 'model'"),
        ("broken.py:Mine", "broken.py:2 cannot be imported: ValueError: no"),
        ("wrong.py:Mine", "wrong.py:1 cannot be imported: SyntaxError"),
        ("leaves.py:Mine", "leaves.py:2 cannot be imported: SystemExit: 3"),
        ("own.py:Picky", "cannot be asked about 1 of 2 bugs: it has no class"),
        ("own.py:Mine --word x", "No such option"),
        ("own.py:Set --depth x", "Input should be a valid integer"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_message(
    reference: str,
    message: str,
    file: Path,
    tiny: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    code, said = ran(f"tiny --to run --repairer {reference}", capsys)
    assert (code, message in said, "Traceback" in said) == (2, True, False), said
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("arguments", "verdicts"),
    [
        ("own.py:Mine -n 2", ["–", "AC"]),
        ("own.py:function -n 2", ["–", "AC"]),
        ("own.py:made -n 2", ["–", "AC"]),
        ("own.py:Set -n 3 --depth 2", ["–", "–", "AC"]),
        ("own.py:Talker -n 2 --config talk.toml", ["–", "AC"]),
        ("own.py:Mine -n 5 --stop-when-fixed", ["–", "AC"]),
    ],
)
def test_a_repairer_of_a_file_runs_in_workers(
    arguments: str,
    verdicts: list[str],
    tiny: Path,
    file: Path,
    sandbox: Sandbox,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(file.parent)
    Path("talk.toml").write_text('rounds = 2\nfeedback = "verdict"\n')
    code, said = ran(f"tiny -k 1 --to run --repairer {arguments}", capsys)
    assert code == 0, said
    found = rl.open_run("run")
    for bug in ("shop", "sum"):
        assert [line.outcome.verdict.code for line in found.of_bug(bug) if line.outcome] == verdicts
    before = Path("run/outcomes.jsonl").read_bytes()
    assert ran("--resume run", capsys)[0] == 0
    Path("again.toml").write_bytes(Path("run/experiment.toml").read_bytes())
    assert ran("--config again.toml --to run", capsys)[0] == 0
    assert Path("run/outcomes.jsonl").read_bytes() == before


def test_a_changed_file_is_refused_unless_accepted(
    file: Path, tiny: Path, tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = "tiny -k 1 -n 2 --to run --repairer own.py:Set --depth 1"
    assert ran(asked, capsys)[0] == 0
    first = Store(Path("run")).manifest().experiment
    file.write_text(FILE_OF_ALL + "# better\n")
    for again in (asked, "--resume run"):
        code, said = ran(again, capsys)
        assert code == 2 and "own.py:Set has changed since the run in run began" in said and "--accept-changes" in said
    assert ran("--resume run --accept-changes", capsys)[0] == 0
    now = Store(Path("run")).manifest().experiment
    assert now.repairer_digest != first.repairer_digest and now.settings == {"word": "no idea", "depth": 1}
    code, said = ran(asked.replace("--depth 1", "--depth 2"), capsys)
    assert code == 2 and "settings.depth was 1, now 2" in said
    file.unlink()
    assert ran("--resume run", capsys)[0] == 2
    assert rl.score("run")["fixed"].value == 1.0  # reading a run needs no file


def test_what_a_repairer_of_the_user_raises_is_one_message(
    file: Path, tiny: Path, tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = FILE_OF_ALL.split("\n")
    for name, line, said in (
        ("Broken", "raise ZeroDivisionError", "ZeroDivisionError: out of luck, while proposing for sum"),
        ("Unready", "self.model", "AttributeError: 'Unready' object has no attribute 'model', while it was opened"),
    ):
        place = next(number for number, text in enumerate(lines, start=1) if line in text)
        code, err = ran(f"tiny -i sum -n 1 -k 1 --to {name} --repairer own.py:{name}", capsys)
        told = f"own.py:{place}: {said}. Go on with: repairlab run --resume {name}\n"
        assert (code, told in err, "Traceback" in err) == (2, True, False), err


def test_an_object_of_the_user_that_raises_is_named_by_its_line(tiny: Path, tmp_path: Path, sandbox: Sandbox) -> None:
    number = 0
    for chosen in (Clumsy(), lambda problem: [1 // number]):  # a copy in a worker, and one that stays
        with pytest.raises(UserError, match=rf"{Path(__file__).name}:\d+: ZeroDivisionError: .*, while proposing for (shop|sum)$"):
            rl.run(tiny, chosen, to=tmp_path / "run", n=1, k=1, workers=1, cache=False)
        (tmp_path / "run/run.json").unlink()


def test_a_changed_file_is_taken_as_long_as_it_has_proposed_nothing(
    file: Path, tiny: Path, tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert ran("tiny -n 1 -k 1 --to run --repairer own.py:Broken", capsys)[0] == 2
    first = Store(Path("run")).manifest().experiment
    file.write_text(FILE_OF_ALL.replace('raise ZeroDivisionError("out of luck")', "yield FIX[problem.id]"))
    code, said = ran("--resume run", capsys)
    assert code == 0, said
    assert Store(Path("run")).manifest().experiment.repairer_digest != first.repairer_digest
    assert rl.score("run")["fixed"].value == 1.0


def test_settings_of_a_file_are_settings_of_the_api(
    file: Path, tiny: Path, tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    chosen = rl.repairer("own.py:Set", depth=2, n=3)
    done = rl.run(rl.load(tiny).filter("sum"), chosen, to="run", k=1, workers=1, cache=False)
    assert [line.outcome.verdict.code for line in done.of_bug("sum") if line.outcome] == ["–", "–", "AC"]
    with pytest.raises(UserError, match=r"unknown option 'dept'\. Did you mean 'depth'"):
        rl.repairer("own.py:Set", dept=2)


def test_a_repairer_gets_what_it_is_opened_with(
    file: Path, tiny: Path, tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    load_reference("own.py:made")
    module = next(module for name, module in sys.modules.items() if name.startswith("repairlab_file_"))
    for number, chosen in enumerate(("own.py:Bookkeeper", module.Bookkeeper())):
        said: list[object] = []
        rl.run(tiny, chosen, to=f"run{number}", n=1, k=1, workers=2, cache=False, progress=said.append)
        assert len(Path(f"run{number}/mine.jsonl").read_text().splitlines()) == 2
        assert any("asked about sum" in repr(step) for step in said)


class Clumsy:
    name = "clumsy"

    def propose(self, problem: rl.Problem, history: tuple[rl.Attempt, ...]) -> Iterator[object]:
        yield str(1 // len(history))


class Importable:
    """One that workers can load."""

    name = "importable"

    def propose(self, problem: rl.Problem, history: tuple[rl.Attempt, ...]) -> Iterator[object]:
        yield f"no idea of process {os.getpid()}"
        yield FIX[problem.id]


def test_an_object_that_workers_can_load_is_copied_to_them(tiny: Path, tmp_path: Path, sandbox: Sandbox) -> None:
    assert _pickled(Importable()) is not None
    done = rl.run(tiny, Importable(), to=tmp_path / "run", n=2, k=1, workers=2, cache=False)
    answers = {candidate.answer for candidate in done.candidates() if candidate.rank == 1}
    assert answers and not any(str(os.getpid()) in str(answer) for answer in answers)


def test_an_object_that_stays_talks_lazily_and_sees_history(tiny: Path, tmp_path: Path, sandbox: Sandbox) -> None:
    seen: list[tuple[str, list[str | None], str]] = []

    class Local:
        name = "local"

        def propose(self, problem: rl.Problem, history: tuple[rl.Attempt, ...]) -> Iterator[object]:
            seen.append((problem.id, [attempt.feedback for attempt in history], threading.current_thread().name))
            yield FIX[problem.id] if history else "no idea"
            raise AssertionError("nobody asked for more") if history else StopAsyncIteration

    with pytest.raises(UserError, match="StopAsyncIteration"):
        rl.run(tiny, Local(), to=tmp_path / "bad", n=3, k=1, rounds=2, workers=2, cache=False)
    seen.clear()

    class Better(Local):
        def propose(self, problem: rl.Problem, history: tuple[rl.Attempt, ...]) -> Iterator[object]:
            yield next(super().propose(problem, history))

    done = rl.run(
        tiny,
        Better(),
        to=tmp_path / "run",
        n=3,
        k=1,
        rounds=2,
        feedback="verdict",
        stop_when_fixed=True,
        workers=2,
        cache=False,
    )
    assert _pickled(Better()) is None and done.is_finished
    assert sorted((bug, told) for bug, told, _ in seen) == [
        ("shop", []),
        ("shop", ["UNAPPLICABLE"]),
        ("sum", []),
        ("sum", ["UNAPPLICABLE"]),
    ]
    assert threading.main_thread().name not in {name for _, _, name in seen}


def test_unfit_bugs_of_an_object_are_left_out(tiny: Path, tmp_path: Path, sandbox: Sandbox) -> None:
    class Picky(Importable):
        def unfit(self, problem: rl.Problem) -> str | None:
            return "no sums" if problem.id == "sum" else None

    with pytest.raises(UserError, match="cannot be asked about 1 of 2 bugs: no sums"):
        rl.run(tiny, Picky(), to=tmp_path / "run", n=1, k=1)
    done = rl.run(tiny, Picky(), to=tmp_path / "run", n=1, k=1, skip_unfit=True, workers=1, cache=False)
    assert done.manifest.bug_ids == ("shop",)


def test_a_large_object_stays() -> None:
    found = Importable()
    found.weights = bytes(2**25)  # type: ignore[attr-defined]  # a model
    assert _pickled(found) is None


SCRIPT = """\
import sys, time, pathlib
import repairlab as rl
FIX = {fix!r}
class Slow:
    name = "slow"
    def propose(self, problem, history):
        for number in range(6):
            log = pathlib.Path("asked")
            log.write_text(str(number))
            if number == 3 and not pathlib.Path("again").exists():
                time.sleep(60)
            yield f"no idea {{number}}"
        yield FIX[problem.id]
if __name__ == "__main__":
    rl.run(rl.load("tiny").filter("sum"), Slow(), to="run", n=7, k=1, workers=1, cache=False)
"""


def test_a_killed_run_goes_on_in_the_middle_of_a_bug(tiny: Path, tmp_path: Path, sandbox: Sandbox) -> None:
    (tmp_path / "slow.py").write_text(SCRIPT.format(fix=FIX))
    first = subprocess.Popen([sys.executable, "slow.py"], cwd=tmp_path)
    store = Store(tmp_path / "run")
    end = time.monotonic() + 60
    while time.monotonic() < end and (not store.manifest_path.exists() or len(list(store.candidates())) < 3):
        time.sleep(0.1)
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    before = (tmp_path / "run/candidates.jsonl").read_bytes()
    (tmp_path / "again").touch()
    subprocess.run([sys.executable, "slow.py"], cwd=tmp_path, check=True, timeout=120)
    after = (tmp_path / "run/candidates.jsonl").read_bytes()
    assert before and after.startswith(before) and rl.open_run(tmp_path / "run").is_finished
    assert [candidate.rank for candidate in rl.open_run(tmp_path / "run").candidates()] == list(range(1, 8))
