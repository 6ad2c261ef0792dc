"""The runs of a report as the systems it compares: names, scores and verdict counts."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from repairlab.core.amounts import count
from repairlab.core.outcome import Verdict
from repairlab.core.record import record
from repairlab.core.score import Samples
from repairlab.learning.neural import NeuralSettings
from repairlab.repairers.llm.settings import LlmSettings
from repairlab.runs.store import Store
from repairlab.runs.transcripts import Transcripts
from repairlab.study.page_templates import VERDICTS
from repairlab.study.scores import RunScores, scores_of, system_name


@record
class System:
    """One run of a report."""

    index: int
    """Decides its colour."""
    name: str
    scores: RunScores
    samples: dict[str, Samples]
    """By bug id."""
    transcripts: Transcripts
    """Prompts and answers of its model."""

    @property
    def is_oracle(self) -> bool:
        """Whether it proposes the developers' fixes: a yardstick, not a system that fixes bugs."""
        return self.scores.is_oracle

    @property
    def digest(self) -> str:
        """Return the digest of its benchmark."""
        return self.scores.run.manifest.benchmark_digest

    @property
    def n_undecided(self) -> int:
        """Return how many candidates the harness failed on."""
        return self.verdicts()[Verdict.UNDECIDED]

    def verdicts(self, language: str | None = None) -> Counter[Verdict]:
        """Count the verdicts of all candidates, or of those for one language."""
        wanted = (item for item in self.samples.values() if language in (None, item.language))
        return Counter(verdict for item in wanted for verdict in item.verdicts)


@record
class Segment:
    """One verdict's part of a bar."""

    verdict: Verdict
    n: int
    share: float


@record
class Bar:
    """The verdicts of one system's candidates, from the best to the worst."""

    name: str
    index: int
    """Decides its colour."""
    n: int
    segments: tuple[Segment, ...]

    @property
    def text(self) -> str:
        """Say the bar in words."""
        parts = ", ".join(f"{segment.n} {segment.verdict}" for segment in self.segments)
        return f"{self.name}: {count(self.n, 'candidate')}: {parts or 'none'}"


def read_systems(folders: Sequence[Path], *, k: int | None = None, partial: bool = False) -> tuple[System, ...]:
    """Read the runs and name them; with `partial`, unfinished bugs are left out."""
    scores = []
    for folder in folders:
        ks = Store(folder).manifest().experiment.k
        scores.append(scores_of(folder, ks=tuple(sorted({*ks, k} if k else set(ks))), partial=partial))
    names = system_names(scores)
    return tuple(
        System(
            index=index,
            name=name,
            scores=item,
            samples={samples.bug_id: samples for samples in item.run.samples},
            transcripts=Transcripts(Store(folders[index])),
        )
        for index, (name, item) in enumerate(zip(names, scores, strict=True))
    )


def system_names(scores: Sequence[RunScores]) -> list[str]:
    """Name every run; equal names are distinguished by temperature, else by folder name, else by path."""
    names = [system_name(Store(item.run.folder)) for item in scores]
    further: tuple[Callable[[RunScores], str], ...] = (
        _decoding,
        lambda item: f" ({item.run.folder.name})",
        lambda item: f" ({item.run.folder})",
    )
    for say in further:
        more = [f"{name}{say(item)}" if names.count(name) > 1 else name for name, item in zip(names, scores, strict=True)]
        if say is not _decoding or len(set(more)) > len(set(names)):
            names = more
    return names


def model_settings(scores: RunScores) -> LlmSettings | None:
    """Return model, strategy and sampling of a run, if the repairer is a model."""
    settings = scores.run.manifest.experiment.settings
    return settings if isinstance(settings, LlmSettings) else None


def decoding_of(scores: RunScores) -> str:
    """Say how the answers of a run were drawn, as the papers do; empty if that means nothing."""
    settings = scores.run.manifest.experiment.settings
    if isinstance(settings, NeuralSettings):
        return settings.decoding
    if not isinstance(settings, LlmSettings):
        return ""
    top_p = f" top-p {settings.top_p:g}" if settings.top_p < 1 else ""
    return f"T={settings.temperature:g}{top_p}" if settings.temperature else "greedy"


def _decoding(scores: RunScores) -> str:
    llm, decoding = model_settings(scores), decoding_of(scores)
    return f" · T={llm.temperature:g}" if llm else f" · {decoding}" if decoding else ""


def bars(systems: Sequence[System], language: str | None = None) -> tuple[Bar, ...]:
    """Return one bar per system that has candidates."""
    made = (verdict_bar(system.name, system.index, system.verdicts(language)) for system in systems)
    return tuple(bar for bar in made if bar.n)


def verdict_bar(name: str, index: int, counts: Mapping[Verdict, int]) -> Bar:
    """Return the bar of one system."""
    n = sum(counts.values())
    segments = (
        Segment(verdict=verdict, n=counts[verdict], share=counts[verdict] / n) for verdict in VERDICTS if counts.get(verdict)
    )
    return Bar(name=name, index=index, n=n, segments=tuple(segments))
