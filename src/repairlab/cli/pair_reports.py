"""Verbs of `repairlab pairs` that look at a set: show, describe, represent, compare with predictions."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from repairlab.building.importers.small_programs import program_place
from repairlab.cli.options import Json, on_machine, one_of
from repairlab.cli.output import count, print_json, print_table, progress_bar, say, write
from repairlab.core.diff import unified_diff
from repairlab.core.errors import UserError, unknown
from repairlab.core.pair import Pair
from repairlab.core.record import to_data
from repairlab.learning.pairs.pair_files import every_pair, read_head, read_pairs
from repairlab.learning.pairs.representing import RepresentedPairs, learnt_settings, represent_pairs
from repairlab.learning.pairs.statistics import pair_statistics
from repairlab.learning.predictions import match_predictions
from repairlab.learning.representations.table import REPRESENTATIONS, representation, settings_of
from repairlab.metrics.bleu import BLEU_VARIANTS
from repairlab.metrics.codebleu import CODEBLEU_VARIANTS
from repairlab.metrics.matching import MatchScores, MatchSettings
from repairlab.metrics.statistics import Distribution
from repairlab.validation.machine import Machine
from repairlab.validation.preflight import builds

PairFolder = Annotated[Path, typer.Argument(metavar="SET", help="Folder of a set of pairs.")]


@contextmanager
def pair_bar(pairs: Path, what: str) -> Iterator[Callable[[], None]]:
    """Show progress over all pairs of a set; yield the function to call for each."""
    _, splits = read_head(pairs)
    with progress_bar() as progress:
        task = progress.add_task(what, total=sum(splits.values()))
        yield lambda: progress.advance(task)


def show(
    pairs: PairFolder,
    split: Annotated[str | None, typer.Option("--split", help="Only this split.")] = None,
    id: Annotated[str | None, typer.Option("--id", help="Only the pair with this id.")] = None,
    limit: Annotated[int, typer.Option("--limit", help="Use at most this many pairs.")] = 5,
    json: Json = False,
) -> None:
    """Show pairs as diffs; with --limit 0, only the head of the set."""
    facts, splits = read_head(pairs)
    if split is not None and split not in splits:
        raise unknown("split", split, splits)
    chosen = (item for item in every_pair(pairs) if split in (None, item[0]) and id in (None, item[1].id))
    found = list(islice(chosen, limit))
    if id is not None and not found:
        raise UserError(f"{pairs} has no pair with the id {id!r}{f' in the split {split!r}' if split else ''}")
    if json:
        shown = [{"split": name, **to_data(pair)} for name, pair in found]
        print_json({"facts": to_data(facts), "splits": splits, "pairs": shown})
        return
    sizes = ", ".join(f"{name} {n}" for name, n in splits.items())
    write(f"{facts.name} {facts.version}: {facts.language}, {facts.form}; {sizes}")
    for name, pair in found:
        _print_pair(name, pair)


def _print_pair(split: str, pair: Pair) -> None:
    known = {"repository": pair.repository, "commit": pair.commit, "time": pair.time, "verdict": pair.verdict}
    more = "".join(f"  {name} {value}" for name, value in known.items() if value)
    write(f"\n{split}/{pair.id}{more}")
    diff = unified_diff("text", _lined(pair.buggy), _lined(pair.fixed)).split("\n", 2)[2]
    write(diff.rstrip("\n"))


def _lined(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"


def stats(pairs: PairFolder, json: Json = False) -> None:
    """Describe a set: counts, lengths, kinds of edits, overlap between splits."""
    with pair_bar(pairs, "pairs read") as done:
        found = pair_statistics(pairs, done=done)
    if json:
        print_json(to_data(found))
        return
    facts = found.facts
    rows = [
        (
            item.split,
            item.n,
            _lengths(item.buggy_tokens),
            _lengths(item.fixed_tokens),
            ", ".join(f"{kind} {n}" for kind, n in item.edits.items()),
            item.one_hunk,
            item.repositories,
            item.repeated,
        )
        for item in found.splits
    ]
    columns = ["split", "pairs", "buggy tokens", "fixed tokens", "edits", "one hunk", "repositories", "repeated"]
    print_table(f"{facts.name} {facts.version}: {facts.language}, {facts.form}", columns, rows)
    shared = [(f"{item.other} in {item.one}", item.pairs, item.buggy) for item in found.overlaps]
    if shared:
        print_table("Overlap between splits", ["of", "same pair", "same buggy text"], shared)


def _lengths(spread: Distribution | None) -> str:
    return "–" if spread is None else f"{spread.low:.0f} – {spread.median:.0f} – {spread.high:.0f}, mean {spread.mean:.1f}"


def represent(
    pairs: PairFolder,
    name: Annotated[str, typer.Option("--representation", help="Name of the representation.")],
    split: Annotated[str | None, typer.Option("--split", help="Only this split.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", help="Use at most this many pairs.")] = None,
    setting: Annotated[list[str] | None, typer.Option("--setting", help="NAME=VALUE for the representation; repeatable.")] = None,
    learn: Annotated[str | None, typer.Option("--learn", help="Learn idioms or a grammar from this split first.")] = None,
    json: Json = False,
) -> None:
    """Show how many pairs a representation can encode and recover."""
    facts, splits = read_head(pairs)
    if split is not None and split not in splits:
        raise unknown("split", split, splits)
    given = settings_of(setting or ())
    made = representation(name, {**(learnt_settings(name, pairs, learn) if learn else {}), **given})
    chosen = (pair for one in ([split] if split else splits) for pair in read_pairs(pairs, one))
    n_pairs = splits[split] if split else sum(splits.values())
    with progress_bar() as progress:
        task = progress.add_task("pairs represented", total=n_pairs if limit is None else min(limit, n_pairs))
        found = represent_pairs(islice(chosen, limit), facts, made, done=lambda: progress.advance(task))
    if json:
        print_json(to_data(found) | {"settings": given, "split": split})
        return
    _print_represented(found)


def _print_represented(found: RepresentedPairs) -> None:
    rows: list[tuple[str, object]] = [
        ("pairs", found.pairs),
        ("represented", _of(found.represented, found.pairs)),
        ("recovered", _of(found.recovered, found.represented)),
        ("recovered first", _of(found.recovered_first, found.represented)),
        (f"read, {found.counted_in}", _lengths(found.source)),
        (f"written, {found.counted_in}", _lengths(found.written)),
    ]
    if found.context:
        rows.insert(5, (f"context, {found.counted_in}", _lengths(found.context)))
    if found.counted_in == "tokens":
        rows += [("different tokens read", found.source_words), ("different tokens written", found.written_words)]
    rows += [(f"not represented: {reason}", n) for reason, n in found.reasons.items()]
    print_table(f"{found.representation}: {REPRESENTATIONS.about(found.representation)}", ["", ""], rows)
    if found.lost:
        say(f"not recovered: {', '.join(found.lost)}")


def _of(n: int, total: int) -> str:
    return f"{n} ({n / total:.1%})" if total else str(n)


@on_machine("workers", "sandbox", "allow_unsafe")
def match(
    predictions: Annotated[
        Path, typer.Argument(help="One prediction per line in the order of the pairs, or *.jsonl with id and prediction(s).")
    ],
    pairs: Annotated[Path, typer.Option("--pairs", help="Folder of the set of pairs.")],
    split: Annotated[str, typer.Option("--split", help="The split that was predicted.")] = "test",
    bleu: Annotated[str, typer.Option("--bleu", help=f"Variant of BLEU: {', '.join(BLEU_VARIANTS)}.")] = "codexglue",
    codebleu: Annotated[
        str, typer.Option("--codebleu", help=f"Variant of CodeBLEU: {', '.join(CODEBLEU_VARIANTS)}.")
    ] = "codexglue",
    copy: Annotated[bool, typer.Option("--copy", help="Also score the buggy texts, the baseline of copying.")] = False,
    compiling: Annotated[
        bool, typer.Option("--compile", help="Compile the first predictions without running them; for sets of whole programs.")
    ] = False,
    json: Json = False,
    *,
    here: Machine,
) -> None:
    """Compare predictions with fixes: exact match, BLEU, CodeBLEU, edit similarity, syntax."""
    facts, splits = read_head(pairs)
    if compiling and facts.form != "program":
        raise UserError(f"--compile is for sets of whole programs; {pairs} holds pairs of the form {facts.form!r}")
    settings = MatchSettings(
        language=facts.language,
        bleu=one_of("variant of BLEU", bleu, BLEU_VARIANTS),
        codebleu=one_of("variant of CodeBLEU", codebleu, CODEBLEU_VARIANTS),
    )
    with progress_bar() as progress:
        task = progress.add_task("pairs matched", total=splits.get(split))
        found = match_predictions(
            predictions,
            pairs,
            split,
            settings,
            copy=copy,
            compiles=_compiler(facts.language, here) if compiling else None,
            done=lambda: progress.advance(task),
        )
    if json:
        print_json({"pairs": str(pairs), "split": split, "settings": to_data(settings), **to_data(found)})
        return
    columns = ["metric", "predictions", *(["copy"] if found.copied else [])]
    both = [found.scores, *([found.copied] if found.copied else [])]
    print_table(f"{predictions} on {facts.name}, {split}: {count(found.scores.n, 'pair')}", columns, _match_rows(both))
    write(f"signature {settings.signature}")


def _compiler(language: str, here: Machine) -> Callable[[Sequence[str]], list[bool]]:
    sandbox = here.open_sandbox()

    def compiles(text: str) -> bool:
        try:
            return builds(language, program_place(language, text)[0], text, sandbox)
        except UserError:  # its package is no path
            return False

    def all_of(texts: Sequence[str]) -> list[bool]:
        with ThreadPoolExecutor(here.workers) as pool:
            return list(pool.map(compiles, texts))

    return all_of


def _match_rows(scores: Sequence[MatchScores]) -> list[tuple[str, ...]]:
    named = [_named(item) for item in scores]
    return [(name, *(_percent(item.get(name)) for item in named)) for name in named[0]]


def _named(scores: MatchScores) -> dict[str, float | None]:
    parts = scores.codebleu
    within = {f"exact within {k}": value for k, value in scores.exact_within.items() if k > 1}
    code = {} if parts is None else {"CodeBLEU": parts.value, "  n-grams": parts.ngram, "  weighted": parts.weighted}
    more = {} if parts is None else {"  syntax": parts.syntax, "  data flow": parts.flow}
    return {
        "exact text": scores.exact_text,
        "exact tokens": scores.exact_tokens,
        "exact tree": scores.exact_tree,
        **within,
        "BLEU": scores.bleu,
        **code,
        **more,
        "edit similarity": scores.edit_similarity,
        "well-formed": scores.well_formed,
        **({} if scores.compiles is None else {"compiles": scores.compiles}),
        "unchanged": scores.unchanged,
        "missing": scores.missing,
    }


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.2f}"
