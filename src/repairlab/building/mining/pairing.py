"""Turn submissions into bug–fix pairs: paths, near duplicates, splits, proof by running.

Where problems have tests, the folder is a benchmark of the pairs that prove themselves as well as a set of pairs.
"""

import dataclasses
import json
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import get_args

from repairlab.benchmarks.writing import toml
from repairlab.building.discovery import DiscoveredTests
from repairlab.building.import_record import read_import_record
from repairlab.building.importers.importer import Dropped, Import, ImportedBug, Settings
from repairlab.building.importers.small_programs import JudgedProgram, judged_bug, safe_id
from repairlab.building.importers.submissions import REJECTED, FormSettings, PairTexts, SubmittedProblem
from repairlab.building.importing import write_benchmark
from repairlab.building.mining.funnel import Funnel, Stage, write_funnel
from repairlab.building.mining.pair_selection import (
    STEPS,
    ProblemFacts,
    Steps,
    SubmissionPair,
    difficulty_of,
    drawn,
    identifiers,
    leaking,
    near_duplicates,
    pairs_of,
    paths_of,
    split_problems,
)
from repairlab.building.mining.submission_sources import open_submissions
from repairlab.core.bug import Difficulty
from repairlab.core.errors import UserError, unknown
from repairlab.core.installation import VERSION
from repairlab.core.pair import Pair, PairSet
from repairlab.core.record import record, to_json
from repairlab.core.storage.folders import new_folder
from repairlab.languages.facts import names as known_languages
from repairlab.languages.facts import title
from repairlab.learning.pairs.duplicates import text_key
from repairlab.learning.pairs.pair_files import DROPPED, MADE, PairWriter
from repairlab.learning.pairs.splitting import SplitSettings, check_split
from repairlab.validation.machine import Machine

SUBMISSIONS, PATHS, SOURCES, DISTINCT, SPLITS, TESTS = "submissions", "paths", "sources", "distinct", "splits", "tests"
"""The stages, in their order."""


@record
class PairingSettings:
    """How submissions become pairs."""

    steps: Steps = "last"
    language: str | None = None
    """Needed where there are several: a set of pairs has one."""
    drop_near: bool = True
    max_characters: int | None = None
    """Of each of the two programs."""
    limit: int | None = None
    """Of problems."""
    shares: Mapping[str, float] = dataclasses.field(default_factory=lambda: {"train": 0.8, "valid": 0.1, "test": 0.1})
    """Split → share of the pairs; problems without tests go to the first."""
    seed: int = 0
    per_problem: int | None = None
    """Most pairs of a problem in the last split."""
    tests: Path | None = None
    judge: Settings = Settings()


@record
class PairedSubmissions:
    """What came of it."""

    folder: Path
    splits: dict[str, int]
    n_bugs: int
    """Pairs that were proved by running and are bugs with tests."""
    stages: tuple[Stage, ...]
    notes: tuple[str, ...] = ()


@record
class _Found:
    """A pair on its way, without its texts, of which there may be too many."""

    pair: SubmissionPair
    difficulty: str
    program: Callable[[PairTexts], JudgedProgram] | None
    """How it is tested; none where there are no tests."""

    @property
    def name(self) -> str:
        return safe_id(self.problem, self.pair.wrong.id)

    @property
    def problem(self) -> str:
        return self.pair.wrong.problem

    def read(self) -> PairTexts:
        texts = (self.pair.wrong.read(), self.pair.right.read())
        return PairTexts(name=self.name, wrong=self.pair.wrong, right=self.pair.right, texts=texts)


class _Pairing:
    """One reading of the submissions: what is found, what is dropped and why."""

    def __init__(self, settings: PairingSettings, language: str) -> None:
        self.settings, self.language = settings, language
        self.funnel = Funnel()
        self.dropped: list[Dropped] = []
        self.found: list[_Found] = []
        self.languages: set[str] = set()
        self.keys: dict[str, tuple[bytes, bytes]] = {}
        for stage in (SUBMISSIONS, PATHS, SOURCES, DISTINCT, SPLITS):
            self.funnel.count(stage, n=0)

    def drop(self, stage: str, name: str, reason: str, *, detail: str = "") -> None:
        self.funnel.count(stage, reason)
        self.dropped.append(Dropped(id=name, reason=f"{reason}: {detail}" if detail else reason))

    def add(self, problem: SubmittedProblem) -> None:
        """Take what a problem has to give."""
        judged = []
        for submission in problem.submissions:
            self.languages.add(submission.language)
            if submission.language != self.language:
                self.funnel.count(SUBMISSIONS, "in another language")
            elif submission.verdict is None:
                self.funnel.count(SUBMISSIONS, "the judge did not get to a verdict")
            else:
                self.funnel.count(SUBMISSIONS)
                judged.append(submission)
        n_accepted = sum(submission.is_accepted for submission in judged)
        difficulty = problem.difficulty or difficulty_of(n_accepted, len(judged))
        if n_accepted:
            self.funnel.count(PATHS, "accepted: a fix, or no bug", n=n_accepted)
        pairs = [_Found(pair=pair, difficulty=difficulty, program=problem.program) for pair in self._paths(problem)]
        self.found += self._distinct([pair for pair in pairs if self._is_readable(pair)])

    def _paths(self, problem: SubmittedProblem) -> Iterator[SubmissionPair]:
        for path in paths_of(item for item in problem.submissions if item.language == self.language):
            pairs = pairs_of(path, self.settings.steps)
            kept = {pair.wrong.id for pair in pairs}
            for wrong in path.rejected:
                if path.accepted is None:
                    reason = "nothing of the same user is accepted later"
                    self.drop(PATHS, safe_id(problem.id, wrong.id), reason)
                elif wrong.id not in kept:
                    self.drop(PATHS, safe_id(problem.id, wrong.id), f"not the {self.settings.steps} of its path")
                else:
                    self.funnel.count(PATHS)
            yield from pairs

    def _is_readable(self, found: _Found) -> bool:
        most = self.settings.max_characters
        try:
            both = found.read()
        except UserError as error:
            self.drop(SOURCES, found.name, "a program cannot be read", detail=str(error))
            return False
        keys = tuple(text_key(text, self.language) for text in both.texts)
        if keys[0] == keys[1]:
            self.drop(SOURCES, found.name, "both programs are the same but for spacing and comments")
        elif most is not None and max(map(len, both.texts)) > most:
            self.drop(SOURCES, found.name, "a program is too long")
        elif found.name in self.keys:
            self.drop(SOURCES, found.name, "another submission has the same id")
        else:
            self.keys[found.name] = keys[0], keys[1]
            return self.funnel.count(SOURCES)
        return False

    def _distinct(self, pairs: Sequence[_Found]) -> Iterator[_Found]:
        """Yield the pairs of a problem that repeat no other, and whose right program is no copy of an earlier one."""
        right = {pair.pair.right.id: pair.pair.right for pair in sorted(pairs, key=lambda item: item.pair.right.time)}
        near: dict[str, str] = {}
        if self.settings.drop_near:
            near = near_duplicates({name: identifiers(self.language, item.read()) for name, item in right.items()})
        seen: set[tuple[bytes, bytes]] = set()
        for pair in pairs:
            keys = self.keys[pair.name]
            if pair.pair.right.id in near:
                copied = safe_id(pair.problem, near[pair.pair.right.id])
                self.drop(DISTINCT, pair.name, "its fix is nearly the same as an earlier one of the problem", detail=copied)
            elif keys in seen:
                self.drop(DISTINCT, pair.name, "the same pair as an earlier one of the problem")
            else:
                seen.add(keys)
                self.funnel.count(DISTINCT)
                yield pair

    def split(self) -> dict[str, str]:
        """Return the split of each pair; those whose text a split that is measured on has as well are dropped."""
        sizes = Counter(pair.problem for pair in self.found)
        problems = {
            pair.problem: ProblemFacts(difficulty=pair.difficulty, n_pairs=sizes[pair.problem], has_tests=pair.program is not None)
            for pair in self.found
        }
        chosen = split_problems(problems, self.settings.shares, self.settings.seed)
        splits = {pair.name: chosen[pair.problem] for pair in self.found}
        order = list(self.settings.shares)[::-1]
        leaks = leaking(((name, split, self.keys[name]) for name, split in splits.items()), order)
        for name, other in leaks.items():
            self.drop(SPLITS, name, "the same text is in another split", detail=other)
        self.found = [pair for pair in self.found if pair.name not in leaks]
        if self.settings.per_problem is not None:
            self._draw({name for name, split in splits.items() if split == order[0]}, self.settings.per_problem)
        self.funnel.count(SPLITS, n=len(self.found))
        return {pair.name: splits[pair.name] for pair in self.found}

    def _draw(self, names: Set[str], n: int) -> None:
        problems: dict[str, dict[str, str]] = {}
        for pair in self.found:
            if pair.name in names:
                problems.setdefault(pair.problem, {})[pair.name] = pair.pair.wrong.status
        kept = drawn(problems, n, self.settings.seed)
        lost = {name for pairs in problems.values() for name in pairs} - kept
        for name in sorted(lost):
            self.drop(SPLITS, name, "other pairs of its problem are drawn")
        self.found = [pair for pair in self.found if pair.name not in lost]


def pair_submissions(
    source: Path,
    name: str,
    settings: PairingSettings,
    folder: Path,
    started: Callable[[int], None],
    done: Callable[[str], None],
    *,
    machine: Machine,
) -> PairedSubmissions:
    """Write the pairs that submissions hold, or nothing, to a new folder.

    What was stopped while it ran tests goes on from there.
    """
    check_split(SplitSettings(shares=settings.shares))
    if settings.limit is not None and settings.limit < 1:
        raise UserError(f"--limit is {settings.limit}: at least 1 problem is needed")
    opened = open_submissions(source, FormSettings(tests=settings.tests, judge=settings.judge))
    made = _read(islice(opened.problems, settings.limit), settings)
    splits = made.split()
    if not made.found:
        counts = ", ".join(f"{stage.name} {stage.n}" for stage in made.funnel.stages)
        raise UserError(f"no pair is found in {source}; left by each stage: {counts}")
    facts = PairSet(
        name=name,
        version="1",
        licence=opened.licence,
        description=f"Submissions of {opened.name}: {STEPS[settings.steps]} with the accepted one that follows",
        language=made.language,
        form="program",
        abstract=False,
    )
    output = _Output(made, facts, splits)
    if not output.tested:
        started(len(made.found))
        with new_folder(folder) as aside:
            output.write(aside)
        return PairedSubmissions(folder=folder, splits=output.counts, n_bugs=0, stages=made.funnel.stages)
    imported = write_benchmark(
        "pair",
        output.bugs,
        folder,
        settings.judge,
        started,
        done,
        machine=machine,
        settled=output.settle,
        finish=output.write_proved,
    )
    return PairedSubmissions(
        folder=folder,
        splits=output.counts,
        n_bugs=len(imported.bugs),
        stages=made.funnel.stages,
        notes=imported.notes,
    )


def _read(problems: Iterator[SubmittedProblem], settings: PairingSettings) -> _Pairing:
    """Take all problems, one after the other; where no language is asked for, all are needed to see which there are."""
    language = settings.language
    if language is None:
        kept = list(problems)
        language, problems = _only_language(kept), iter(kept)
    elif language not in known_languages():
        raise unknown("language", language, known_languages())
    made = _Pairing(settings, language)
    for problem in problems:
        made.add(problem)
    if language not in made.languages:
        raise UserError(f"there is no submission in {title(language)}; there are: {', '.join(sorted(made.languages)) or 'none'}")
    return made


def _only_language(problems: Sequence[SubmittedProblem]) -> str:
    counts = Counter(submission.language for problem in problems for submission in problem.submissions)
    known = [name for name, _ in counts.most_common() if name in known_languages()]
    if len(known) != 1:
        told = (
            ", ".join(f"{name} ({counts[name]})" for name in known) or f"none that is known, only {', '.join(counts) or 'nothing'}"
        )
        raise UserError(f"a set of pairs has one language; choose it with --language: {told}")
    return known[0]


class _Output:
    """What is written: pairs, bugs where there are tests, and what was dropped."""

    def __init__(self, made: _Pairing, facts: PairSet, splits: Mapping[str, str]) -> None:
        self._made, self._facts, self._splits = made, facts, splits
        self.tested = [pair for pair in made.found if pair.program is not None]
        self.counts: dict[str, int] = {}
        self._verdicts: dict[str, str] = {}

    def bugs(self) -> Import:
        """Return the pairs that have tests as bugs."""
        facts = self._facts
        return Import(
            name=facts.name,
            version=facts.version,
            licence=facts.licence,
            description=facts.description,
            n_bugs=len(self.tested),
            bugs=map(self._bug, self.tested),
        )

    def _bug(self, found: _Found) -> ImportedBug | Dropped:
        program = found.program
        if program is None:
            return Dropped(id=found.name, reason="there is no test case for it")
        try:
            judged = program(found.read())
        except UserError as error:
            return Dropped(id=found.name, reason=str(error))
        difficulty = found.difficulty if found.difficulty in get_args(Difficulty) else None
        labels = {"split": self._splits[found.name], "difficulty": difficulty}
        return judged_bug(dataclasses.replace(judged, facts={**judged.facts, "labels": labels}))

    def settle(self, found: DiscoveredTests) -> None:
        """Take how a wrong program failed here."""
        self._verdicts[found.bug_id] = found.verdict

    def write_proved(self, aside: Path, bugs: Sequence[str]) -> None:
        """Write the pairs that proved themselves, and those that have no tests."""
        made, proved = self._made, set(bugs)
        made.funnel.count(TESTS, n=len(made.found) - len(self.tested) + len(bugs))
        for bug in read_import_record(aside).dropped:
            reason, _, detail = bug.reason.partition(" (")
            made.drop(TESTS, bug.id, reason.partition(":")[0], detail=detail.removesuffix(")"))
        made.found = [pair for pair in made.found if pair.program is None or pair.name in proved]
        for name in bugs:
            self._tell_verdict(aside / "bugs" / name / "bug.toml")
        self.write(aside)

    def _tell_verdict(self, path: Path) -> None:
        """Let a bug say how its program failed here, where no judge said more than that it is wrong."""
        facts, verdict = tomllib.loads(path.read_text(encoding="utf-8")), self._verdicts.get(path.parent.name)
        if verdict and "submission_verdict" not in facts:
            path.write_text(toml({"schema": facts.pop("schema"), "submission_verdict": verdict, **facts}), encoding="utf-8")

    def _verdict(self, both: PairTexts) -> str:
        """Return what the judge said, or how the program failed here where it said no more than that it is wrong."""
        return self._verdicts.get(both.name) or both.wrong.status if both.wrong.status == REJECTED else both.wrong.status

    def write(self, aside: Path) -> None:
        """Write the set of pairs with its funnel, and what was dropped."""
        made = self._made
        with ExitStack() as stack:
            writer = PairWriter(aside, stack)
            for found in made.found:
                both = found.read()
                pair = Pair(
                    id=found.name,
                    buggy=both.texts[0],
                    fixed=both.texts[1],
                    time=both.right.date,
                    verdict=self._verdict(both),
                    problem=found.problem,
                    difficulty=found.difficulty,
                )
                writer.add(self._splits[found.name], pair)
        writer.finish(self._facts)
        self.counts = {split: writer.counts[split] for split in made.settings.shares if split in writer.counts}
        lines = [to_json({"id": item.id, "reason": item.reason}) + "\n" for item in made.dropped]
        (aside / DROPPED).write_text("".join(lines), encoding="utf-8")
        settings = {
            "path": made.settings.steps,
            "shares": dict(made.settings.shares),
            "seed": made.settings.seed,
            "per_problem": made.settings.per_problem,
        }
        step = {"by": "pair", "settings": settings | {"near": made.settings.drop_near}, "to": self.counts}
        (aside / MADE).write_text(json.dumps(step | {"repairlab": VERSION}) + "\n", encoding="utf-8")
        write_funnel(aside, made.funnel.stages)
