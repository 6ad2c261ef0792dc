"""Scores of a run folder: read, measure, store as scores.json.

If candidates were assessed, scores of correct candidates stand beside those of plausible ones: overfitting candidates count as
wrong; open ones are left out, as UNDECIDED ones are, and counted beside.
"""

import dataclasses
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from repairlab.core.errors import UnknownItemError, UserError, unknown
from repairlab.core.outcome import STRENGTHS, Strength, Verdict
from repairlab.core.record import record, to_data
from repairlab.core.score import Samples, Score
from repairlab.core.storage.encoding import store_json
from repairlab.core.table import html_table, text_table
from repairlab.metrics.metric import Duplicates, ScoreSettings, n_undecided
from repairlab.metrics.table import (
    METRICS,
    NONE_DECIDED,
    Scores,
    is_share,
    score,
    score_built,
    score_correct,
    score_ranking,
    score_run,
)
from repairlab.repairers.command.settings import CommandSettings
from repairlab.repairers.llm.settings import LlmSettings
from repairlab.runs.experiment import Manifest
from repairlab.runs.integrity import require_intact
from repairlab.runs.samples import VerdictInRun, open_bugs, read_judged, read_samples
from repairlab.runs.store import Store
from repairlab.study.assessment.labels import LabelFile, read_labels
from repairlab.study.ranking.stored import Ranking, ranking_files, read_ranking

ORACLE = "reference"
"""The repairer that proposes the developers' fixes."""
JudgedIds = Mapping[str, Sequence[tuple[str, VerdictInRun]]]
"""By bug, the judged candidates by rank."""
_AT_K = re.compile(r"(.+)@(\d+)")
SCORE_COLUMNS = ("metric", "value", "95 % interval", "bugs", "candidates", "undecided")


def system_name(store: Store) -> str:
    """Name the system of a run as every page and table does: strategy or preset and model, else repairer and candidates' model."""
    experiment = store.manifest().experiment
    match experiment.settings:
        case LlmSettings(strategy=name, model=model) | CommandSettings(preset=str(name), model=model):
            return f"{name} · {model}" if model else name
    first = next(store.candidates(), None)
    return f"{experiment.repairer} · {first.origin.model}" if first and first.origin.model else experiment.repairer


@record
class Measured:
    """A run, ready for metrics."""

    folder: Path
    manifest: Manifest
    samples: tuple[Samples, ...]
    """Finished bugs only."""
    sampled: tuple[Samples, ...]
    """The same as they were drawn: duplicates are always counted."""
    settings: ScoreSettings
    n_unfinished: int

    @property
    def missing(self) -> str:
        """Say what is missing; empty for a finished run."""
        n = self.n_unfinished + len(self.sampled)
        unfinished = f"{self.n_unfinished} of {n} bugs are unfinished and left out" if self.n_unfinished else ""
        parts = [text for text in (unfinished, self.coverage) if text]
        return f"{self.folder}: {'; '.join(parts)}" if parts else ""

    @property
    def coverage(self) -> str:
        """Say how external candidates cover the bugs; empty if they cover all, or if a repairer was asked."""
        return self.manifest.coverage.text if self.manifest.coverage else ""

    @property
    def strengths(self) -> dict[Strength, int]:
        """How many passes have each strength, strongest first."""
        found = Counter(strength for item in self.sampled for strength in item.strengths)
        return {strength: found[strength] for strength in reversed(STRENGTHS)}

    @property
    def strength(self) -> str:
        """Say how strong the passes are; empty if there are none."""
        parts = ", ".join(f"{n} {strength}" for strength, n in self.strengths.items())
        return f"passes: {parts}" if any(self.strengths.values()) else ""


@record
class RunScores:
    """A run and its scores."""

    run: Measured
    result: Scores

    def __getitem__(self, name: str) -> Score:
        """Return one score by its name, such as `pass@5` or `fixed`."""
        known = {score_name(item): item for item in self.result.scores}
        if name in known:
            return known[name]
        if name in self.result.left_out:
            raise UnknownItemError(f"this run has no {name}: {self.result.left_out[name]}")
        raise UnknownItemError(*unknown("score", name, known).args)

    @property
    def title(self) -> str:
        """Say what was scored."""
        manifest = self.run.manifest
        return f"{system_name(Store(self.run.folder))} on {manifest.benchmark_name} {manifest.benchmark_version}"

    def __repr__(self) -> str:
        return f"{self.title}\n{text_table(SCORE_COLUMNS, score_rows(self.result))}"

    def _repr_html_(self) -> str:
        return html_table(self.title, SCORE_COLUMNS, score_rows(self.result), below=self.run.missing)

    @property
    def n_undecided(self) -> int:
        """How many candidates are UNDECIDED, whether or not the others can be scored."""
        return n_undecided(self.run.sampled)

    @property
    def is_oracle(self) -> bool:
        """Whether the run is of the developers' own fixes, which are never ranked."""
        return self.run.manifest.experiment.repairer == ORACLE

    def data(self) -> dict[str, Any]:
        """Return the form of `score --json`."""
        manifest = self.run.manifest
        made = {
            "run": str(self.run.folder),
            "benchmark": manifest.benchmark_name,
            "repairer": manifest.experiment.repairer,
            "n_unfinished": self.run.n_unfinished,
            "strengths": self.run.strengths,
            "coverage": manifest.coverage,
            "scores": self.result.scores,
            "left_out": self.result.left_out,
        }
        return dict(to_data(made))


def scores_over_k(metric: str, run: Measured, ks: Sequence[int]) -> list[Score]:
    """Return a metric of a run at each k."""
    return [score(metric, k, run.samples, run.settings) for k in ks]


def score_name(score: Score) -> str:
    """Return the name of a score with its k."""
    return score.metric if score.k is None else score.metric.replace("@k", f"@{score.k}")


def worth_saying(scores: Scores, asked: Sequence[int] | None = None) -> dict[str, str]:
    """Return what is missing and would be missed: pass@k at a requested k, stored rankings, and plugin metrics.

    So is pass@k if no candidate was decided. Other gaps are normal: TCA@k needs another policy, a rank needs a fix, a usual k may
    exceed n.
    """
    if not scores.scores:
        return scores.left_out
    return {
        name: reason
        for name, reason in scores.left_out.items()
        if _is_missed(name, asked or ()) or (reason == NONE_DECIDED and name.partition("@")[0] == "pass" and "[" not in name)
    }


def _is_missed(name: str, asked: Sequence[int]) -> bool:
    own = set(METRICS) - {part.name for part in METRICS.of_others()}
    if at_k := _AT_K.match(name):
        return f"{at_k[1]}@k" not in own - {"pass@k"} and int(at_k[2]) in asked
    return name.partition("[")[0] not in own


def _shown(score: Score, value: float) -> str:
    return f"{100 * value:.1f} %" if is_share(score.metric) else f"{value:.1f}"


def number(score: Score | None) -> str:
    """Return a score as people read it; a dash if missing."""
    return "–" if score is None else _shown(score, score.value)


def interval(score: Score) -> str:
    """Return a score's interval as people read it; a dash for a single bug, which says nothing of others."""
    return "–" if score.n_bugs < 2 else f"{_shown(score, score.low)} – {_shown(score, score.high)}"


def score_rows(found: Scores) -> list[tuple[object, ...]]:
    """Return scores as rows of a table with SCORE_COLUMNS."""
    return [
        (score_name(item), number(item), interval(item), item.n_bugs, item.n_samples, item.n_undecided) for item in found.scores
    ]


def read_run(folder: Path, *, partial: bool = False, duplicates: Duplicates = "counted") -> Measured:
    """Read the samples and settings of a run; an unfinished one is refused unless `partial`, which takes its finished bugs."""
    store = Store(folder)
    manifest = store.manifest()
    require_intact(store)
    everything = read_samples(store)
    samples = tuple(item for item in everything if item.ended != "unfinished")
    n_unfinished = len(everything) - len(samples)
    if n_unfinished and not (partial and samples):
        hint = "" if partial else ", or add --partial to use the finished bugs alone"
        raise UserError(
            f"the run in {folder} is unfinished: {n_unfinished} of {len(everything)} bugs are open. "
            f"Go on with: repairlab run --resume {folder}{hint}"
        )
    return Measured(
        folder=folder,
        manifest=manifest,
        samples=_merge(samples, read_judged(store)) if duplicates == "merged" else samples,
        sampled=samples,
        settings=settings_of(manifest, duplicates),
        n_unfinished=n_unfinished,
    )


def scores_of(
    folder: Path, *, ks: Sequence[int] | None = None, partial: bool = False, duplicates: Duplicates = "counted"
) -> RunScores:
    """Return all scores that a run supports, by default at the k of its own settings."""
    run = read_run(folder, partial=partial, duplicates=duplicates)
    ks = ks or run.manifest.experiment.k
    parts = [score_run(run.samples, run.settings, ks), *_score_rankings(run, ks), *_score_labels(run, ks)]
    return RunScores(run=run, result=_joined(parts))


def scores_of_ranking(run: Measured, ranking: Ranking, ks: Sequence[int]) -> Scores:
    """Return a ranking's score beside what it must beat: random order, and the repairer's own order."""
    settings = settings_of(run.manifest, "counted")
    built = [score_built(run.sampled, settings, ks)] if ranking.recipe.prune_compile else []
    plain = score_run(run.sampled, settings, ks)
    shown = tuple(item for metric in ("pass@k", "top@k") for item in plain.scores if item.metric == metric)
    return _joined([score_ranking(ranking.ranked(), run.sampled, settings, ks), *built, Scores(scores=shown, left_out={})])


def _score_rankings(run: Measured, ks: Sequence[int]) -> Iterator[Scores]:
    """Yield r.pass@k of every ranking in the run folder, and why one cannot be used."""
    settings = settings_of(run.manifest, "counted")
    is_pruned = False
    for path in ranking_files(run.folder):
        try:
            ranking = read_ranking(path, run.sampled)
        except UserError as error:
            yield Scores(scores=(), left_out={f"r.pass@k[{path.stem}]": str(error)})
            continue
        is_pruned |= ranking.recipe.prune_compile
        yield score_ranking(ranking.ranked(), run.sampled, settings, ks)
    if is_pruned:
        yield score_built(run.sampled, settings, ks)


def _score_labels(run: Measured, ks: Sequence[int]) -> Iterator[Scores]:
    """Yield what counts correct candidates, if the run was assessed."""
    labels = read_labels(run.folder)
    if labels is None:
        return
    judged = read_judged(Store(run.folder))
    samples = _correct_samples(run.sampled, judged, labels)
    merged = _merge(samples, judged) if run.settings.duplicates == "merged" else samples
    settings = dataclasses.replace(run.settings, conditions=(*run.settings.conditions, ("labels", labels.digest)))
    yield score_correct(merged, settings, ks)


def _joined(parts: Sequence[Scores]) -> Scores:
    return Scores(
        scores=tuple(item for part in parts for item in part.scores),
        left_out={metric: reason for part in parts for metric, reason in part.left_out.items()},
    )


def store_scores(scores: RunScores) -> None:
    """Write scores.json into the run folder."""
    store_json(scores.run.folder / "scores.json", scores.data())


def changed_scores(folder: Path) -> tuple[str, ...]:
    """Name the numbers in scores.json that the records contradict; empty without such a file or for an unfinished run."""
    path = folder / "scores.json"
    if not path.is_file() or open_bugs(Store(folder)):
        return ()
    try:
        stored = [(str(item["signature"]), item["k"], float(item["value"])) for item in json.loads(path.read_text())["scores"]]
    except (ValueError, KeyError, TypeError):
        return ("scores.json is not what `repairlab score` writes",)
    ks = sorted({k for _, k, _ in stored if k})
    made = {item.signature: item for item in scores_of(folder, ks=ks or None).result.scores}
    return tuple(
        f"scores.json says {score_name(made[name])} {value:.4f}, its records give {made[name].value:.4f}"
        for name, _, value in stored
        if name in made and abs(made[name].value - value) > 1e-6
    )


def settings_of(manifest: Manifest, duplicates: Duplicates) -> ScoreSettings:
    """Return what metrics must know of a run."""
    experiment = manifest.experiment
    seen = experiment.visibility
    conditions = [("localisation", str(seen.localisation))]
    if seen.error:
        conditions.append(("error", "shown"))
    if not seen.context:
        conditions.append(("context", "hidden"))
    if seen.tests:
        conditions.append(("tests", "shown"))
    if experiment.rounds > 1:
        conditions += [("rounds", str(experiment.rounds)), ("feedback", experiment.feedback)]
    if experiment.confirm:
        conditions.append(("confirm", str(experiment.confirm)))
    if experiment.min_strength != "unchecked":
        conditions.append(("strength", experiment.min_strength))
    return ScoreSettings(
        n=experiment.n,
        benchmark=f"{manifest.benchmark_name}@{manifest.benchmark_version}#{manifest.benchmark_digest}",
        policy=experiment.policy,
        conditions=tuple(conditions),
        rounds=experiment.rounds,
        duplicates=duplicates,
        repairlab=manifest.repairlab,
    )


def _merge(samples: Sequence[Samples], judged: JudgedIds) -> tuple[Samples, ...]:
    """Keep the first of equal candidates of each bug."""
    merged = []
    for item in samples:
        first: dict[str, int] = {}
        for index, (candidate_id, _) in enumerate(judged[item.bug_id]):
            first.setdefault(candidate_id, index)
        kept = list(first.values())
        merged.append(
            dataclasses.replace(
                item,
                verdicts=tuple(item.verdicts[index] for index in kept),
                passed=tuple(item.passed[index] for index in kept),
                distinct=len(kept),
            )
        )
    return tuple(merged)


_VERDICTS: Mapping[str | None, Verdict] = {
    "correct": Verdict.PLAUSIBLE,
    "overfitting": Verdict.WRONG,
    "unsure": Verdict.UNDECIDED,
    None: Verdict.UNDECIDED,
}


def _correct_samples(samples: Sequence[Samples], judged: JudgedIds, labels: LabelFile) -> tuple[Samples, ...]:
    """Return samples in which plausible means correct."""
    known = labels.by_candidate()

    def verdict(found: Verdict, candidate: str) -> Verdict:
        return _VERDICTS[known.get(candidate)] if found is Verdict.PLAUSIBLE else found

    return tuple(
        dataclasses.replace(item, verdicts=tuple(verdict(found.verdict, candidate) for candidate, found in judged[item.bug_id]))
        for item in samples
    )
