"""Bugs with their fixes as pairs: for training on executable bugs, and to try representations."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

from repairlab.benchmarks.catalog import Benchmark
from repairlab.core.bug import Bug
from repairlab.core.diff import apply_edits
from repairlab.core.errors import UserError
from repairlab.core.pair import Pair, PairSet
from repairlab.core.record import to_json
from repairlab.core.storage.folders import new_folder
from repairlab.languages.facts import title
from repairlab.learning.pairs.pair_files import DROPPED, PairWriter, Rewritten


def pair_of_bug(bug: Bug) -> Pair | None:
    """Return the file to fix before and after the fix; None if the fix also changes other files, or is unknown."""
    problem = bug.problem
    try:
        after = apply_edits(bug.oracle.reference, {problem.path: problem.source})
    except UserError:
        return None
    fixed = after.get(problem.path)
    if list(after) != [problem.path] or fixed is None or fixed == problem.source:
        return None
    return Pair(
        id=bug.id,
        buggy=problem.source,
        fixed=fixed,
        repository=bug.origin.repository,
        commit=bug.origin.commit,
        verdict=problem.submission_verdict.value if problem.submission_verdict else None,
    )


def pairs_of_bugs(bugs: Iterable[Bug]) -> Iterator[tuple[str, Pair]]:
    """Yield language and pair of all bugs that can be turned into one."""
    for bug in bugs:
        pair = pair_of_bug(bug)
        if pair is not None:
            yield bug.problem.language, pair


def take_pairs(benchmark: Benchmark, to: Path, language: str | None, *, done: Callable[[], None] = lambda: None) -> Rewritten:
    """Write the bugs of a benchmark as a set of whole programs, all or nothing; a set has one language."""
    languages = sorted({bug.problem.language for bug in benchmark})
    wanted = languages[0] if language is None and len(languages) == 1 else language
    if wanted not in languages:
        known = ", ".join(languages)
        problem = f"it has no bug in {title(language)}" if language else "a set of pairs has one language"
        raise UserError(f"{benchmark.name}: {problem}; choose one with --language: {known}")
    dropped: Counter[str] = Counter()
    with new_folder(to) as aside, ExitStack() as stack:
        writer = PairWriter(aside, stack)
        log = stack.enter_context((aside / DROPPED).open("w", encoding="utf-8"))
        for bug in benchmark:
            done()
            if bug.problem.language != wanted:
                continue
            pair, split = pair_of_bug(bug), bug.labels.split or "train"
            if pair is None or not writer.add(split, pair):
                reason = "the fix does not change this file alone" if pair is None else "repeated"
                dropped[reason] += 1
                log.write(to_json({"split": split, "id": bug.id, "reason": reason}) + "\n")
        if not writer.counts:
            raise UserError(f"{benchmark.name}: no bug in {title(wanted)} has a fix of one file alone")
        stack.close()
        writer.finish(
            PairSet(
                name=benchmark.name,
                version=benchmark.version,
                licence=benchmark.licence,
                description=f"Bugs of {benchmark.name} as whole files",
                language=wanted,
                form="program",
                abstract=False,
            )
        )
    return Rewritten(folder=to, splits=writer.counts, dropped=dict(dropped))
