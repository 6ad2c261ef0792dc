"""`repairlab match`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from repairlab.cli.options import Json
from repairlab.cli.output import data, print_json, print_table, progress_bar
from repairlab.core.errors import unknown
from repairlab.core.record import to_data
from repairlab.core.words import count
from repairlab.learning.pairs.pair_files import read_head
from repairlab.learning.predictions import match_predictions
from repairlab.metrics.bleu import BLEU_VARIANTS, BleuVariant
from repairlab.metrics.codebleu import CODEBLEU_VARIANTS, CodeBleuVariant
from repairlab.metrics.matching import MatchScores, MatchSettings


def match(
    predictions: Annotated[
        Path, typer.Argument(help="One prediction a line in the order of the pairs, or *.jsonl with id and prediction(s).")
    ],
    pairs: Annotated[Path, typer.Option("--pairs", help="The set of pairs: a folder that `import` or `pairs` made.")],
    split: Annotated[str, typer.Option("--split", help="The split that was predicted.")] = "test",
    bleu: Annotated[str, typer.Option("--bleu", help=f"Variant of BLEU: {', '.join(BLEU_VARIANTS)}.")] = "codexglue",
    codebleu: Annotated[
        str, typer.Option("--codebleu", help=f"Variant of CodeBLEU: {', '.join(CODEBLEU_VARIANTS)}.")
    ] = "codexglue",
    copy: Annotated[bool, typer.Option("--copy", help="Also match the buggy texts themselves: what copying is worth.")] = False,
    json: Json = False,
) -> None:
    """Match predictions against the fixes of a set of pairs: exact match, BLEU, CodeBLEU, edit similarity, syntax."""
    facts, splits = read_head(pairs)
    settings = MatchSettings(language=facts.language, bleu=_bleu(bleu), codebleu=_codebleu(codebleu))
    with progress_bar() as progress:
        task = progress.add_task("pairs matched", total=splits.get(split))
        found = match_predictions(predictions, pairs, split, settings, copy=copy, done=lambda: progress.advance(task))
    if json:
        print_json({"pairs": str(pairs), "split": split, "settings": to_data(settings), **to_data(found)})
        return
    columns = ["metric", "predictions", *(["copy"] if found.copied else [])]
    both = [found.scores, *([found.copied] if found.copied else [])]
    print_table(f"{predictions} on {facts.name}, {split}: {count(found.scores.n, 'pair')}", columns, _rows(both))
    data().print(f"signature {settings.signature}", markup=False)


def _rows(scores: Sequence[MatchScores]) -> list[tuple[str, ...]]:
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
        "unchanged": scores.unchanged,
        "missing": scores.missing,
    }


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.2f}"


def _bleu(name: str) -> BleuVariant:
    for variant in BLEU_VARIANTS:
        if variant == name:
            return variant
    raise unknown("variant of BLEU", name, BLEU_VARIANTS)


def _codebleu(name: str) -> CodeBleuVariant:
    for variant in CODEBLEU_VARIANTS:
        if variant == name:
            return variant
    raise unknown("variant of CodeBLEU", name, CODEBLEU_VARIANTS)
