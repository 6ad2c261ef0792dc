"""The benchmarks of a service, and what clients may see of their bugs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from repairlab.benchmarks.lazy import LazyBenchmark
from repairlab.core.bug import Bug
from repairlab.core.errors import HarnessError, UserError, unknown
from repairlab.core.problem import Localisation, Problem, Visibility, shown
from repairlab.core.record import to_data
from repairlab.repairers.llm.factory import preview
from repairlab.repairers.llm.prompts.strategies.table import STRATEGIES
from repairlab.repairers.llm.settings import LlmSettings
from repairlab.serve.http.http_error import RequestRefused, bad_request

_PRECISION: tuple[Localisation, ...] = ("file", "function", "hunk", "line")
_NO_MODEL = "none/none"


class ServedBenchmarks:
    """Benchmarks by name; a bug is found by `BENCHMARK/BUG`, or by `BUG` where only one benchmark has it."""

    def __init__(self, names: Sequence[str | Path], localisation: Localisation = "line") -> None:
        """Open benchmarks, each by its name or folder."""
        self._finest = localisation
        self._by_name: dict[str, LazyBenchmark] = {}
        self._of_bug: dict[str, list[str]] = {}
        for name in names:
            opened = LazyBenchmark(name)
            if opened.name in self._by_name:
                raise UserError(f"two benchmarks are called {opened.name!r}; serve one of them")
            self._by_name[opened.name] = opened
            for bug_id in opened.ids:
                self._of_bug.setdefault(bug_id, []).append(opened.name)

    @property
    def all(self) -> Mapping[str, LazyBenchmark]:
        """All benchmarks by name."""
        return self._by_name

    def benchmark(self, name: str) -> LazyBenchmark:
        """Return a benchmark by name."""
        if name not in self._by_name:
            raise RequestRefused(404, "unknown_benchmark", str(unknown("benchmark", name[:200], self._by_name)))
        return self._by_name[name]

    def place(self, reference: str) -> tuple[str, str]:
        """Return the benchmark and the id of a bug; nothing is read for that."""
        name, slash, bug_id = reference.rpartition("/")
        if not slash:
            found = self._of_bug.get(reference, [])
            if len(found) > 1:
                raise RequestRefused(404, "unknown_bug", f"{reference!r} is a bug of {', '.join(found)}: write BENCHMARK/BUG")
            name = found[0] if found else ""
        if slash and name not in self._by_name:
            raise RequestRefused(404, "unknown_benchmark", str(unknown("benchmark", name[:200], self._by_name)))
        if name not in self._of_bug.get(bug_id, ()):
            known = self._by_name[name].ids if name else self._of_bug
            raise RequestRefused(404, "unknown_bug", str(unknown("bug", bug_id[:200], known)))
        return name, bug_id

    def bug(self, reference: str) -> Bug:
        """Read a bug; this may take a moment."""
        name, bug_id = self.place(reference)
        try:
            return self._by_name[name].benchmark.bug(bug_id)
        except (UserError, HarnessError, OSError) as error:
            raise RequestRefused(
                503, "benchmark_unreadable", f"bug {name}/{bug_id} cannot be read any more; the server's log says why"
            ) from (error)

    def problem(self, bug: Bug, localisation: Localisation | None) -> Problem:
        """Return a bug as a repairer may see it: no finer than the service allows."""
        return shown(bug.problem, Visibility(localisation=self.finest(localisation)))

    def finest(self, localisation: Localisation | None) -> Localisation:
        """Return what is asked for, or what the service allows where that is less."""
        if localisation is not None and localisation not in _PRECISION:
            raise bad_request(f"unknown localisation {str(localisation)[:100]!r}. Known: {', '.join(_PRECISION)}")
        return min(localisation or self._finest, self._finest, key=_PRECISION.index)

    def described(self, bug: Bug, *, localisation: Localisation | None, strategy: str | None, context: bool) -> dict[str, Any]:
        """Return what a client may see of a bug; with a strategy, also what a model would be asked."""
        problem = self.problem(bug, localisation)
        data: dict[str, Any] = to_data(problem)
        data["context"] = data["context"] if context else [file.path for file in problem.context]
        if strategy is not None:
            data["prompt"] = messages(problem, strategy)
        return data


def messages(problem: Problem, strategy: str) -> list[dict[str, str]] | str | None:
    """Return what a model would be asked about a problem: messages, or the text to go on with."""
    if strategy not in STRATEGIES:
        raise bad_request(str(unknown("strategy", strategy[:100], STRATEGIES)))
    try:
        asked = preview(LlmSettings(strategy=strategy, model=_NO_MODEL), problem, seed=0, examples=())
    except UserError as error:
        raise RequestRefused(409, "strategy_unfit", str(error)) from None
    said = [{"role": message.role, "content": message.content} for message in asked[-1].messages] if asked else []
    return said or (asked[-1].text if asked else None)
