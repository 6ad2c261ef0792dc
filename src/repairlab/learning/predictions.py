"""Predictions: what a model writes for pairs and for bugs, and predictions of any model matched against the fixes.

Networks and tool chains are often on different machines, so candidates for bugs go to a file that can be validated elsewhere.
"""

import dataclasses
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repairlab.benchmarks.catalog import Benchmark
from repairlab.core.bug import Bug
from repairlab.core.errors import UserError, unknown
from repairlab.core.foreign import field, read_json_lines, read_text
from repairlab.core.pair import Pair, PairSet
from repairlab.core.problem import Visibility, shown
from repairlab.core.record import record
from repairlab.formats import own
from repairlab.formats.format import JudgedCandidate
from repairlab.learning.networks.inputs import network_input
from repairlab.learning.networks.settings import DecodingSettings
from repairlab.learning.neural import NeuralAccess, NeuralSettings, make_repairer, reason_unfit
from repairlab.learning.pairs.pair_files import in_chunks, read_head, read_pairs
from repairlab.learning.representations.representation import Encoded, Sample, Unrepresentable
from repairlab.learning.representations.samples import put_back, sample_of_pair
from repairlab.learning.representations.table import representation
from repairlab.metrics.matching import MatchCounts, MatchScores, MatchSettings

if TYPE_CHECKING:
    from repairlab.learning.networks.model import Ensemble


@record
class Matched:
    """Scores of predictions, and of the buggy texts themselves as if they were predicted."""

    scores: MatchScores
    copied: MatchScores | None


def match_predictions(
    path: Path,
    folder: Path,
    split: str,
    settings: MatchSettings,
    *,
    copy: bool = False,
    compiles: Callable[[Sequence[str]], Sequence[bool]] | None = None,
    done: Callable[[], None] = lambda: None,
) -> Matched:
    """Match a file of predictions against one split of a set of pairs; `copy` also takes the buggy texts.

    `compiles` tells which programs a compiler accepts.
    """
    sides = {False: MatchCounts(settings), **({True: MatchCounts(settings)} if copy else {})}
    n_built = dict.fromkeys(sides, 0)
    n = 0
    for chunk in in_chunks(read_predictions(path, folder, split), _MATCHED_TOGETHER):
        for is_copy, counts in sides.items():
            texts = [[pair.buggy] if is_copy else predictions for pair, predictions in chunk]
            for (pair, _), found in zip(chunk, texts, strict=True):
                counts.add(found, pair.fixed, pair.buggy)
            if compiles is not None:
                n_built[is_copy] += sum(compiles([found[0] if found else "" for found in texts]))
        for _ in chunk:
            done()
        n += len(chunk)
    if not n:
        raise UserError(f"the split {split!r} of {folder} is empty, so there is nothing to match")
    results = [
        dataclasses.replace(counts.result(), compiles=n_built[is_copy] / n if compiles else None)
        for is_copy, counts in sides.items()
    ]
    return Matched(scores=results[0], copied=results[1] if copy else None)


_MATCHED_TOGETHER = 64


def read_predictions(path: Path, folder: Path, split: str) -> Iterator[tuple[Pair, list[str]]]:
    """Yield every pair of a split with its predictions, best first.

    A file *.jsonl has records with `id` and `prediction` or `predictions`; any other has one text per line, in the order of the
    pairs.
    """
    _, splits = read_head(folder)
    if split not in splits:
        raise unknown("split", split, splits)
    found = _by_id(path) if path.suffix == ".jsonl" else None
    if found is not None:
        unused = set(found)
        for pair in read_pairs(folder, split):
            unused.discard(pair.id)
            yield pair, found.get(pair.id, [])
        if unused:
            raise UserError(
                f"{path} has predictions for {len(unused)} ids that are not in the split {split!r}, such as {min(unused)!r}"
            )
        return
    # Line breaks of Unicode (U+2028 and others) are text here: only "\n" ends a line.
    lines = read_text(path).removesuffix("\n").split("\n")
    if len(lines) != splits[split]:
        raise UserError(
            f"{path} has {len(lines)} lines, but the split {split!r} of {folder} has {splits[split]} pairs; give one prediction a "
            "line in the order of the pairs, or a file *.jsonl with their ids"
        )
    for line, pair in zip(lines, read_pairs(folder, split), strict=True):
        yield pair, [line]


def _by_id(path: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for where, entry in read_json_lines(path):
        name = field(entry, "id", str, where)
        if name in found:
            raise UserError(f"{where}: the id {name!r} is there twice; several predictions are a list: predictions")
        if "predictions" in entry:
            texts = field(entry, "predictions", list, where)
            if not all(isinstance(text, str) for text in texts):
                raise UserError(f"{where}: the field 'predictions' should be a list of strings")
            found[name] = texts
        else:
            found[name] = [field(entry, "prediction", str, where)]
    return found


_PAIRS_TOGETHER = 4096
"""Pairs that are held in memory."""


@record
class Predicted:
    """The result of predicting a split."""

    n: int
    unrepresentable: int
    n_texts: int


def predict(
    model: "Ensemble",
    pairs: Path,
    split: str,
    to: Path,
    decoding: DecodingSettings,
    *,
    seed: int = 0,
    done: Callable[[int], None] = lambda n: None,  # noqa: ARG005
) -> Predicted:
    """Write the predictions of a split to a file of JSON lines, best first; a pair that cannot be represented has none."""
    facts, splits = read_head(pairs)
    if split not in splits:
        raise unknown("split", split, splits)
    if not splits[split]:
        raise UserError(f"the split {split!r} of {pairs} is empty")
    made = representation(model.representation, model.learnt)
    if made.languages is not None and facts.language not in made.languages:
        raise UserError(f"the model reads {', '.join(sorted(made.languages))}, but {pairs} is in {facts.language}")
    n = unrepresentable = n_texts = 0
    aside = to.with_name(f".{to.name}.part")
    with aside.open("w", encoding="utf-8") as file:
        for chunk in in_chunks(read_pairs(pairs, split), _PAIRS_TOGETHER):
            encoded: list[tuple[Sample, Encoded] | None] = []
            for pair in chunk:
                try:
                    sample, _ = sample_of_pair(pair, facts, made.unit)
                    encoded.append((sample, made.encode(sample)))
                except Unrepresentable:
                    encoded.append(None)
                    unrepresentable += 1
            inputs = [network_input(item[1]) for item in encoded if item is not None]
            written = iter(model.write(inputs, decoding, seed=seed, done=done))
            for pair, item in zip(chunk, encoded, strict=True):
                texts: dict[str, float] = {}
                if item is not None:
                    for found in next(written):
                        for text in made.recover(item[1], found.tokens):
                            texts.setdefault(text_of_pair(pair, facts, item[0], text), found.logprob)
                line: dict[str, Any] = {"id": pair.id, "predictions": list(texts), "logprobs": list(texts.values())}
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
                n_texts += len(texts)
            n += len(chunk)
    aside.replace(to)
    return Predicted(n=n, unrepresentable=unrepresentable, n_texts=n_texts)


def text_of_pair(pair: Pair, facts: PairSet, sample: Sample, text: str) -> str:
    """Return what a recovered text makes of a pair's buggy text: the whole of it, where the sample is a part of it."""
    if facts.form == "line" or sample.method is None or sample.method_start is None:
        return text
    method, old = put_back(sample, text), sample.file or sample.method
    start = sample.method_start if sample.file else 0
    whole = old[:start] + method + old[start + len(sample.method) :]
    before = old.find(pair.buggy) if pair.start is None else pair.start
    return whole[before : len(whole) - (len(old) - before - len(pair.buggy))] if before >= 0 else whole


_BUGS_TOGETHER = 64
"""Bugs that a model is asked about at once."""


@record
class ModelProposals:
    """What came of proposing for bugs."""

    n_bugs: int
    n_candidates: int
    unfit: dict[str, str]
    """Bugs that cannot be shown to the model, and why."""


@record
class ProposingOptions:
    """How many candidates to propose, and with what model."""

    settings: NeuralSettings
    access: NeuralAccess
    n: int
    seed: int = 0

    def check(self) -> None:
        """Refuse impossible numbers."""
        if self.n < 1:
            raise UserError(f"-n is {self.n}: write a number of at least 1")
        self.settings.check()


def propose(
    benchmark: Benchmark,
    bugs: Sequence[Bug],
    options: ProposingOptions,
    to: Path,
    *,
    done: Callable[[int], None] = lambda n: None,  # noqa: ARG005
) -> ModelProposals:
    """Write up to n candidates for each bug, best first, as `run` would propose them; the file appears whole or not at all."""
    reason_of = reason_unfit(options.settings)
    problems = [shown(bug.problem, Visibility()) for bug in bugs]
    reasons = {problem.id: reason_of(problem) for problem in problems}
    unfit = {name: reason for name, reason in reasons.items() if reason is not None}
    if len(unfit) == len(problems):
        raise UserError(f"the model can be shown none of the {len(problems)} bugs. The first: {next(iter(unfit.values()), 'none')}")
    repairer = make_repairer(options.settings, options.access, n=options.n, seed=options.seed)
    n_candidates = 0

    def samples() -> Iterator[JudgedCandidate]:
        nonlocal n_candidates
        for first in range(0, len(problems), _BUGS_TOGETHER):
            together = problems[first : first + _BUGS_TOGETHER]
            for candidates in repairer.propose_together([problem for problem in together if problem.id not in unfit]):
                n_candidates += len(candidates[: options.n])
                yield from (JudgedCandidate(candidate=candidate) for candidate in candidates[: options.n])
            done(len(together))
        if not n_candidates:
            raise UserError("nothing that the model wrote could be read as a candidate; train it longer, or with more pairs")

    own.write(samples(), benchmark, to)
    return ModelProposals(n_bugs=len(problems), n_candidates=n_candidates, unfit=unfit)
