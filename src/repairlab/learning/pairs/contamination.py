"""Leave out pairs that a benchmark holds, so that what is trained on them has not seen its bugs.

A pair is compared with the changed files of every bug, before and after the fix, and with the functions that the fix changes;
pairs of lines with the changed lines themselves. By project, pairs of a bug's repository and of its forks go, too.
"""

import difflib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from repairlab.benchmarks.catalog import Benchmark
from repairlab.core.bug import Bug
from repairlab.core.diff import apply_edits
from repairlab.core.errors import UserError
from repairlab.core.pair import Pair
from repairlab.core.record import record
from repairlab.core.text import repository_name, split_lines
from repairlab.languages.language import language, language_of_path
from repairlab.learning.pairs.duplicates import features, near_index, text_key
from repairlab.learning.pairs.pair_files import Decision, Drop, Rewritten, every_pair, in_chunks, read_head, rewrite
from repairlab.repairers.llm.client.model import Embedder

EQUAL, NEAR, EMBEDDED = "is in the benchmark", "is nearly in the benchmark", "is embedded near a bug of the benchmark"
PROJECT, FORK = "is of a project of the benchmark", "is of a fork of a project of the benchmark"
_BATCH = 64
_LINES = ("line", "expression")
"""Forms too short for anything but equality of both texts."""


@record
class DecontaminateSettings:
    """What counts as contained."""

    near: float | None = 0.8
    """Jaccard index of token pairs above which a text is nearly in the benchmark; None: only equal ones."""
    embedding: float = 0.95
    """Cosine above which an embedded text is (Defects4C's rule); only where an embedder is given."""
    projects: bool = False
    """Whether pairs of the benchmark's projects, and of repositories with the same name, are dropped (NPR4J, criterion 2)."""
    forks: tuple[str, ...] = ()
    """More repositories to leave out, such as renamed forks."""


class BugText(NamedTuple):
    """A text that a bug holds."""

    bug: str
    text: str


def decontaminate_pairs(
    source: Path,
    to: Path,
    benchmarks: Sequence[Benchmark],
    settings: DecontaminateSettings,
    *,
    embedder: Embedder | None = None,
    done: Callable[[], None] = lambda: None,
) -> Rewritten:
    """Write a set without the pairs that one of the benchmarks holds."""
    facts, _ = read_head(source)
    if settings.near is not None and not 0.5 <= settings.near <= 1:
        raise UserError(f"--near is {settings.near:g}: choose a Jaccard index from 0.5 to 1, such as 0.8")
    bugs = [bug for benchmark in benchmarks for bug in benchmark if bug.problem.language == facts.language]
    if not bugs:
        names = ", ".join(benchmark.name for benchmark in benchmarks)
        raise UserError(f"{names}: no bug is in {facts.language}, the language of {source}; there is nothing to compare with")
    found = _of_projects(source, bugs, settings) if settings.projects or settings.forks else {}
    found = (_contained_lines(source, bugs) if facts.form in _LINES else _contained(source, bugs, settings, embedder, done)) | found
    step = {
        "by": "pairs decontaminate",
        "settings": {
            "near": settings.near,
            "embedding": settings.embedding if embedder else None,
            "embedder": embedder.name if embedder else None,
            "projects": settings.projects,
            "forks": list(settings.forks),
        },
        "against": [{"name": item.name, "version": item.version, "digest": item.digest} for item in benchmarks],
    }
    return rewrite(source, to, step, lambda split, pair: found.get(f"{split}/{pair.id}", split))


def _of_projects(source: Path, bugs: Sequence[Bug], settings: DecontaminateSettings) -> dict[str, Decision]:
    """Return the pairs from a benchmark's projects, from repositories with their names, and from given forks."""
    own = {repository_name(bug.origin.repository): bug.id for bug in bugs if bug.origin.repository} if settings.projects else {}
    if settings.projects and not own:
        raise UserError("no bug says from which repository it is, so that pairs cannot be left out by project; give --forks FILE")
    names = {name.rpartition("/")[2]: bug for name, bug in own.items()}
    listed = {repository_name(fork): fork for fork in settings.forks}
    found: dict[str, Decision] = {}
    known = False
    for split, pair in every_pair(source):
        known = known or pair.repository is not None
        name = repository_name(pair.repository or "")
        if name in own:
            found[f"{split}/{pair.id}"] = Drop(reason=PROJECT, of=own[name])
        elif name in listed or name.rpartition("/")[2] in names:
            found[f"{split}/{pair.id}"] = Drop(reason=FORK, of=listed.get(name) or names[name.rpartition("/")[2]])
    if not known:
        raise UserError(f"no pair of {source} says from which repository it is, so that none can be left out by project")
    return found


def texts_of(bug: Bug) -> Iterator[BugText]:
    """Yield the changed files of a bug before and after its fix, and the functions that are in one of the two only."""
    before, after = _files(bug)
    for path in after:
        old, new = before.get(path, ""), after[path] or ""
        yield from (BugText(bug.id, text) for text in (old, new) if text.strip())
        name = language_of_path(path)
        if name is not None:
            syntax = language(name).syntax
            functions = [{function.span.of(text) for function in syntax.functions(text)} for text in (old, new)]
            yield from (BugText(bug.id, text) for text in sorted(functions[0] ^ functions[1]))
    yield BugText(bug.id, bug.problem.target.text)


def _files(bug: Bug) -> tuple[dict[str, str], dict[str, str | None]]:
    before = bug.problem.files
    try:
        return before, apply_edits(bug.oracle.reference, before)
    except UserError:  # the fix changes files that are missing
        return before, {}


def _contained(
    source: Path, bugs: Sequence[Bug], settings: DecontaminateSettings, embedder: Embedder | None, done: Callable[[], None]
) -> dict[str, Decision]:
    facts, _ = read_head(source)
    texts = list(dict.fromkeys(text for bug in bugs for text in texts_of(bug)))
    keys: dict[bytes, str] = {}
    for bug, text in texts:
        keys.setdefault(text_key(text, facts.language), bug)
    found: dict[str, Decision] = {}
    with near_index(settings.near or 1.0) as index:
        for bug, text in texts if settings.near is not None else ():
            index.add(bug, features(text))
        for split, pair in every_pair(source):
            done()
            for text in (pair.buggy, pair.fixed):
                of = keys.get(text_key(text, facts.language))
                if of is not None:
                    found[f"{split}/{pair.id}"] = Drop(reason=EQUAL, of=of)
                    break
                near = index.nearest(features(text)) if settings.near is not None else None
                if near is not None:
                    found[f"{split}/{pair.id}"] = Drop(reason=NEAR, of=near.name, similarity=near.similarity)
                    break
    if embedder is not None:
        rest = ((split, pair) for split, pair in every_pair(source) if f"{split}/{pair.id}" not in found)
        found |= _embedded(rest, texts, embedder, settings.embedding)
    return found


def _embedded(
    pairs: Iterator[tuple[str, Pair]], texts: Sequence[BugText], embedder: Embedder, threshold: float
) -> dict[str, Decision]:
    known = np.concatenate([_vectors([text for _, text in part], embedder) for part in in_chunks(texts, _BATCH)])
    found: dict[str, Decision] = {}
    for part in in_chunks(pairs, _BATCH):
        cosines = _vectors([pair.buggy for _, pair in part], embedder) @ known.T
        for (split, pair), row in zip(part, cosines, strict=True):
            best = int(row.argmax())
            if row[best] > threshold:
                similarity = round(float(row[best]), 6)
                found[f"{split}/{pair.id}"] = Drop(reason=EMBEDDED, of=texts[best].bug, similarity=similarity)
    return found


def _vectors(texts: Sequence[str], embedder: Embedder) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    made = np.asarray(embedder.embed(texts), dtype=np.float64)
    lengths = np.linalg.norm(made, axis=1, keepdims=True)
    return np.asarray(made / np.where(lengths > 0, lengths, 1.0))


def _contained_lines(source: Path, bugs: Sequence[Bug]) -> dict[str, Decision]:
    facts, _ = read_head(source)
    keys: dict[bytes, str] = {}
    for bug in bugs:
        before, after = _files(bug)
        for path in after:
            for old, new in _changed(before.get(path, ""), after[path] or ""):
                keys.setdefault(text_key(old, facts.language) + text_key(new, facts.language), bug.id)
    return {
        f"{split}/{pair.id}": Drop(reason=EQUAL, of=keys[key])
        for split, pair in every_pair(source)
        if (key := text_key(pair.buggy, facts.language) + text_key(pair.fixed, facts.language)) in keys
    }


def _changed(old: str, new: str) -> Iterator[tuple[str, str]]:
    before, after = split_lines(old), split_lines(new)
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            yield "".join(before[i1:i2]), "".join(after[j1:j2])
