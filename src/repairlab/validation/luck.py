"""Whether a pass is luck: the tests run again in other surroundings, where an honest program passes, too.

Hash seeds, addresses, time zone, clock, order of folders, number of CPUs and the content of unwritten memory are usually
the same in each run, so that verdicts repeat. That also hides luck. Other surroundings are the same for all bugs, so that they are
the same tomorrow, and programs that wait in them serve one bug after the other. A failure counts only where the reference fix
passes; what the fix does not survive stays as usual.
"""

import dataclasses
import functools
import random
import re
import time
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.execution import Command, Mount
from repairlab.core.outcome import Verdict
from repairlab.core.record import record
from repairlab.languages.language import Racing, Toolchain, default_cache, language
from repairlab.sandbox.launcher import compile_luck
from repairlab.sandbox.sandbox import ChangingRunner
from repairlab.validation.apply import changed_files
from repairlab.validation.engines import Engines
from repairlab.validation.tree_tester import Judgement

RUNS = 3
"""How often a pass is repeated: once with all tests, then with those that show the bug."""
MOST_CASES = 10
"""Of how many cases, after the first time."""
_ZONES = ("Pacific/Kiritimati", "America/St_Johns", "Asia/Kathmandu", "Pacific/Marquesas", "Australia/Lord_Howe")
_UTC = "-Duser.timezone=UTC"
"""How a JVM is told its time zone."""
_DAY_S = 86_400
_FILE_TIMES = re.compile(r"stat\b|mtime|utime|FileTime|last_?(?:modified|write)|ModTime", re.IGNORECASE)
_SURE = 2
_MANY = 30
"""Runs of the reference fix that must pass before the first candidate is called lucky; later ones need two."""
_LONGEST_S = 60.0
"""How long they may take."""


@record
class Surroundings:
    """A change of the usual surroundings; an empty field changes nothing."""

    hash_seed: int = 0
    zone: str = ""
    clock_s: int = 0
    folder_order: int = 0
    unwritten: int = 0
    """The byte that fills memory before a program writes there."""
    cpus: int = 0
    random_addresses: bool = False

    @property
    def changes(self) -> tuple[str, ...]:
        """Return the names of what differs from usual."""
        return tuple(field.name for field in dataclasses.fields(self) if getattr(self, field.name))

    def only(self, names: Collection[str]) -> "Surroundings":
        """Return surroundings where nothing else changes."""
        return Surroundings(**{name: getattr(self, name) for name in names})

    def of(self, command: Command) -> Command:
        """Return a command as it runs there; what its own environment sets stays."""
        if command.writable:
            return command  # a build
        wanted = {
            "PYTHONHASHSEED": str(self.hash_seed) if self.hash_seed else "",
            "TZ": self.zone,
            "MALLOC_PERTURB_": str(self.unwritten) if self.unwritten else "",
            "GOMAXPROCS": str(self.cpus) if self.cpus else "",
            "LUCK_CLOCK": str(self.clock_s) if self.clock_s else "",
            "LUCK_ORDER": str(self.folder_order) if self.folder_order else "",
            "LUCK_STACK": str(self.unwritten) if self.unwritten else "",
        }
        mounts = command.mounts
        if self.clock_s or self.folder_order or self.unwritten:
            wanted["LD_PRELOAD"] = str(_library())
            mounts = (*mounts, Mount(path=wanted["LD_PRELOAD"]))
        own = dict(command.env)
        zone = f"-Duser.timezone={self.zone}" if self.zone and "TZ" not in own else _UTC
        return dataclasses.replace(
            command,
            argv=tuple(zone if part == _UTC else part for part in command.argv),
            env=(*command.env, *((name, value) for name, value in wanted.items() if value and name not in own)),
            mounts=mounts,
            cpus=self.cpus,
            random_addresses=self.random_addresses,
        )

    def __str__(self) -> str:
        """Say what differs from usual."""
        said = {
            f"hash seed {self.hash_seed}": self.hash_seed,
            f"time zone {self.zone}": self.zone,
            f"the clock {abs(self.clock_s) // _DAY_S} days {'ahead' if self.clock_s > 0 else 'behind'}": self.clock_s,
            "folders in another order": self.folder_order,
            f"unwritten memory filled with {self.unwritten:#04x}": self.unwritten,
            "one CPU" if self.cpus == 1 else f"{self.cpus} CPUs": self.cpus,
            "random addresses": self.random_addresses,
        }
        return ", ".join(words for words, is_so in said.items() if is_so)


def surroundings(candidate: Mapping[str, str | None]) -> Iterator[Surroundings]:
    """Yield the surroundings of a candidate."""
    draw = random.Random("luck")
    uses_file_times = any(_FILE_TIMES.search(text or "") for text in candidate.values())  # which our clocks cannot shift
    for number in range(RUNS):
        days = draw.choice((-1, 1)) * draw.randrange(1, 800)
        yield Surroundings(
            hash_seed=draw.randrange(1, 2**32),
            zone=draw.choice(_ZONES),
            clock_s=0 if uses_file_times else days * _DAY_S,
            folder_order=draw.randrange(1, 2**31),
            unwritten=draw.randrange(1, 256),
            cpus=(1, 0, 2)[number],
            random_addresses=True,
        )


class Luck:
    """Repeats passes of candidates of one bug."""

    def __init__(self, engines: Engines) -> None:
        """Take the engines of the bug."""
        self._engines, self._bug = engines, engines.bug
        self._usual = set[str]()
        """What stays as usual because the reference fix does not survive a change."""
        self._is_steady = False
        """Whether the reference fix has run many times without a failure."""
        self._has_races: bool | None = None
        """Whether the reference fix fails under the race detector; None: it was not tried."""

    def problem(self, changed: Mapping[str, str | None]) -> str:
        """Name the surroundings in which a passing candidate fails; empty if it passes in all."""
        if raced := self._race(changed):
            return f"passes by luck: {raced}"
        for number, drawn in enumerate(surroundings(changed)):
            bug = self._bug if number == 0 else _less(self._bug)
            while failed := self._failure(changed, there := self._bearable(drawn), bug):
                unbearable = self._not_survived(there)
                if not unbearable:
                    alone = (there.only([name]) for name in there.changes)
                    cause = next((one for one in alone if self._failure(changed, one, bug)), there)
                    why = f"with {cause}" if self._fails_always(changed, cause, bug) else "by chance"
                    return f"passes by luck: failed 1 of {number + 2} runs, {why}: {failed}"
                self._usual |= unbearable
        return ""

    def _race(self, changed: Mapping[str, str | None]) -> str:
        """Say how a program fails with race detection; empty if the reference fix does, too."""
        toolchain = language(self._bug.problem.language).toolchain
        racing = toolchain.racing(Path(self._bug.tree.source), changed) if isinstance(toolchain, Racing) else None
        if racing is None or self._has_races is True:
            return ""
        failed = self._race_failure(changed, racing)
        if failed and self._has_races is None:
            self._has_races = any(self._race_failure(self._fix, racing) for _ in range(_SURE))
        return f"failed under the race detector: {failed}" if failed and not self._has_races else ""

    def _race_failure(self, changed: Mapping[str, str | None], racing: Toolchain) -> str:
        """Say how a program fails on one CPU, where threads take turns, or else on all: whether a race is seen is chance."""
        for cpus in (1, 0):
            runner = ChangingRunner(Surroundings(cpus=cpus).of, self._engines.sandbox)
            found = self._engines.judge_fresh(changed, "full", runner=runner, toolchain=racing)
            if _fails(found):
                return found.message
        return ""

    def not_survived(self) -> tuple[str, ...]:
        """Describe the surroundings in which the reference fix itself fails."""
        said, self._is_steady = list[str](), True  # `check --repeat` finds tests that fail by chance
        for drawn in surroundings(self._fix):
            unbearable = self._not_survived(self._bearable(drawn))
            self._usual |= unbearable
            said += [str(drawn.only([name])) for name in sorted(unbearable)]
        return tuple(said)

    @functools.cached_property
    def _fix(self) -> Mapping[str, str | None]:
        return changed_files(self._bug.fix, self._bug)

    def _bearable(self, drawn: Surroundings) -> Surroundings:
        return drawn.only([name for name in drawn.changes if name not in self._usual])

    def _not_survived(self, there: Surroundings) -> set[str]:
        """Return which changes the reference fix does not survive: all if it fails only in all together, or by chance."""
        if self._survives(there):
            return set()
        if not self._fails_always(self._fix, there, self._bug):
            return set(there.changes)
        alone = {name for name in there.changes if self._failure(self._fix, there.only([name]), self._bug)}
        return alone or set(there.changes)

    def _survives(self, there: Surroundings) -> bool:
        """Whether the reference fix passes there, at first repeatedly: it might fail rarely and by chance."""
        begin = time.monotonic()
        for tried in range(_SURE if self._is_steady else _MANY):
            if tried >= _SURE and time.monotonic() - begin > _LONGEST_S:
                break
            if self._failure(self._fix, there, self._bug):
                return False
        self._is_steady = True
        return True

    def _fails_always(self, changed: Mapping[str, str | None], there: Surroundings, bug: Bug) -> bool:
        return all(self._failure(changed, there, bug) for _ in range(_SURE))

    def _failure(self, changed: Mapping[str, str | None], there: Surroundings, bug: Bug) -> str:
        """Say how a candidate fails there; at a limit it must fail twice, because a machine may be busy."""
        if not there.changes:
            return ""
        found = self._judged(changed, there, bug)
        if found.verdict in (Verdict.TIMEOUT, Verdict.OUT_OF_MEMORY):
            found = self._judged(changed, there, bug)
        return found.message if _fails(found) else ""

    def _judged(self, changed: Mapping[str, str | None], there: Surroundings, bug: Bug) -> Judgement:
        return self._engines.judge_again(changed, functools.partial(ChangingRunner, there.of), bug)


def _fails(found: Judgement) -> bool:
    return found.verdict not in (Verdict.PLAUSIBLE, Verdict.UNCOMPILABLE)


def _less(bug: Bug) -> Bug:
    """Return a bug with the tests that show it, or the first of its cases."""
    oracle = bug.oracle
    return dataclasses.replace(bug, oracle=dataclasses.replace(oracle, regression=(), cases=oracle.cases[:MOST_CASES]))


@functools.cache
def _library() -> Path:
    return compile_luck(default_cache())
