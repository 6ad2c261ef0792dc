"""A run folder to inspect from Python: its settings, records, scores and tables. `run` and `open_run` of the API return it."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from repairlab.core.arguments import checked
from repairlab.core.candidate import Candidate
from repairlab.core.errors import UserError
from repairlab.core.outcome import Outcome
from repairlab.core.record import to_data
from repairlab.core.table import html_table, text_table
from repairlab.metrics.metric import Duplicates
from repairlab.runs.experiment import Manifest
from repairlab.runs.repairing import prices_of
from repairlab.runs.samples import open_bugs
from repairlab.runs.store import Store
from repairlab.study.run_tables import frames
from repairlab.study.scores import RunScores, scores_of, system_name
from repairlab.study.showing import BugLine, CandidateLine, CandidatePage, show_bug, show_candidate, show_run

if TYPE_CHECKING:
    import polars

T = TypeVar("T")
_COLUMNS = ("bug", "candidates", "first plausible", "ended")


class Records(Generic[T]):
    """Records of a run, read from its folder on each iteration, so that a large run need not fit into memory."""

    def __init__(self, read: Callable[[], Iterator[T]], kind: str) -> None:
        self._read, self._kind = read, kind

    def __iter__(self) -> Iterator[T]:
        return self._read()

    def __len__(self) -> int:
        return sum(1 for _ in self._read())

    def __repr__(self) -> str:
        return f"<{len(self)} {self._kind}>"

    def to_polars(self) -> "polars.DataFrame":
        """Return a data frame with a row for each record and a column for each field."""
        return _frame([to_data(item) for item in self])


class Run:
    """One run folder, finished or not, even while it is written."""

    @checked()
    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open a folder, which must hold a run."""
        self.path = Path(path)
        self._store = Store(self.path)
        self._store.manifest()

    def __fspath__(self) -> str:
        return str(self.path)

    @cached_property
    def manifest(self) -> Manifest:
        """What was run: settings, benchmark, bugs, tools."""
        return self._store.manifest()

    @property
    def is_finished(self) -> bool:
        """Whether nothing is left to do."""
        return not open_bugs(self._store)

    def candidates(self) -> Records[Candidate]:
        """Return the candidates in the order they were stored."""
        return Records(self._store.candidates, "candidates")

    def outcomes(self) -> Records[Outcome]:
        """Return the outcomes in the order they were stored; equal candidates share one."""
        return Records(self._store.outcomes, "outcomes")

    def bugs(self) -> list[BugLine]:
        """Return the results of each bug."""
        return show_run(self._store)

    def of_bug(self, bug_id: str) -> list[CandidateLine]:
        """Return the candidates of one bug by rank, with their outcomes."""
        return show_bug(self._store, bug_id)

    def candidate(self, bug_id: str, rank: int) -> CandidatePage:
        """Return all that is known of one candidate: diff, outcome, prompt and answer."""
        return show_candidate(self._store, bug_id, rank)

    @checked()
    def score(
        self, *, k: int | Sequence[int] | None = None, partial: bool = False, duplicates: Duplicates = "counted"
    ) -> RunScores:
        """Return all scores that the run supports, at these k or those of its settings; `partial` takes an unfinished run."""
        ks = (k,) if isinstance(k, int) else k
        if ks is not None and (not ks or min(ks) < 1):
            raise UserError(f"k is {', '.join(map(str, ks)) or 'empty'}: each k must be 1 or more")
        return scores_of(self.path, ks=ks, partial=partial, duplicates=duplicates)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a flat row for each candidate in the order they were stored; without a verdict if not judged yet."""
        outcomes = {outcome.candidate_id: outcome for outcome in self.outcomes()}
        prices = prices_of(self.path)
        for candidate in self.candidates():
            name, origin = candidate.id, candidate.origin
            outcome = outcomes.get(name)
            yield {
                "bug": candidate.bug_id,
                "rank": candidate.rank,
                "candidate": name,
                "repairer": origin.repairer,
                "model": origin.model,
                "cost_usd": prices.cost_usd(origin.model, origin.tokens_in, origin.tokens_out, origin.cost_usd),
                "verdict": outcome.verdict.value if outcome else None,
                "stage": outcome.stage if outcome else None,
                "message": outcome.message if outcome else None,
                "n_passed": outcome.n_passed if outcome else None,
                "n_tests": outcome.n_tests if outcome else None,
                "cpu_s": outcome.cpu_s if outcome else None,
                "wall_s": outcome.wall_s if outcome else None,
                "peak_mb": outcome.peak_mb if outcome else None,
                "cached": outcome.cached if outcome else None,
                "equivalent_to": outcome.equivalent_to if outcome else None,
            }

    def to_polars(self) -> "polars.DataFrame":
        """Return `rows` as a data frame."""
        return _frame(list(self.rows()))

    @property
    def title(self) -> str:
        """Say what was run, where it is, and whether it is finished."""
        manifest = self.manifest
        state = "" if self.is_finished else ", unfinished"
        return f"{system_name(self._store)} on {manifest.benchmark_name} {manifest.benchmark_version} in {self.path}{state}"

    def _table(self) -> list[tuple[object, ...]]:
        return [(line.bug, sum(line.verdicts.values()), line.first_plausible or "–", line.ended) for line in self.bugs()]

    def __repr__(self) -> str:
        return f"{self.title}\n{text_table(_COLUMNS, self._table())}"

    def _repr_html_(self) -> str:
        return html_table(self.title, _COLUMNS, self._table())


def _frame(rows: Sequence[Mapping[str, Any]]) -> "polars.DataFrame":
    """Return rows as a data frame."""
    frame: polars.DataFrame = frames("to_polars").DataFrame([_writable(row) for row in rows], infer_schema_length=None)
    return frame


def _writable(value: Any) -> Any:
    """Return data without lone surrogates, which hostile candidates may have but UTF-8 cannot."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {key: _writable(item) for key, item in value.items()}
    return [_writable(item) for item in value] if isinstance(value, list) else value
