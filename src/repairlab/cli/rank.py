"""`repairlab rank`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from repairlab.cli.options import Json, asked_embedder, numbers, warn_unchecked
from repairlab.cli.output import count, print_json, progress_bar, say
from repairlab.cli.record_options import RecordOption, options_of, values_for, with_options
from repairlab.cli.score import check_ks, print_scores
from repairlab.core.errors import UserError
from repairlab.core.model import Access
from repairlab.core.record import to_data
from repairlab.repairers.llm.settings import LlmSettings
from repairlab.repairers.table import make_settings
from repairlab.study.ranking.rank import rank_run
from repairlab.study.ranking.rankers import ORDERS, THRESHOLD
from repairlab.study.ranking.stored import Ranking, RankingRecipe, check_name, check_recipe, store_ranking
from repairlab.study.scores import read_run, scores_of_ranking, worth_saying

_REASONS = {
    "unapplicable": "do not apply",
    "unbuilt": "do not build",
    "unchanged": "change nothing",
    "unembeddable": "cannot be embedded",
    "dissimilar": "are too far from the buggy code",
    "duplicates": "repeat another one",
}
_LLM = "llm"


def with_own_options(_arguments: Sequence[str] = ()) -> Callable[..., None]:
    """Return the verb with the settings that say how an embedding model is reached."""
    return with_options(rank, _options(), grouped=False)


def _options() -> tuple[RecordOption, ...]:
    access = ("concurrency", "requests_per_minute", "timeout_s", "retries", "use_cache", "offline")
    return (*options_of(_LLM, "settings", LlmSettings, ("base_url",)), *options_of(_LLM, "access", Access, access))


def rank(
    run: Annotated[Path, typer.Argument(help="A run folder.")],
    by: Annotated[
        str | None,
        typer.Option("--by", help=f"Order: {', '.join(ORDERS)}. [default: majority; similarity with --embedding-model]"),
    ] = None,
    embedding_model: Annotated[
        str | None,
        typer.Option("--embedding-model", help="For similarity: PROVIDER/NAME, or local/NAME for sentence-transformers."),
    ] = None,
    threshold: Annotated[
        str, typer.Option("--threshold", help="Drop candidates less similar than this: a number from -1 to 1, or median.")
    ] = str(THRESHOLD),
    per_token: Annotated[bool, typer.Option("--per-token", help="Divide log-probabilities by the number of tokens.")] = False,
    prune: Annotated[str | None, typer.Option("--prune", help="compile: drop candidates that do not build.")] = None,
    keep_unchanged: Annotated[
        bool, typer.Option("--keep-unchanged", help="Keep candidates that change only comments and white space.")
    ] = False,
    name: Annotated[str | None, typer.Option("--name", help="Name of the ranking. [default: after its order]")] = None,
    k: Annotated[str | None, typer.Option("-k", help="The k of r.pass@k, such as 1,5,10. [default: those of the run]")] = None,
    json: Json = False,
    **own: Any,
) -> None:
    """Rank the candidates of a run and evaluate the order."""
    by = by or ("similarity" if embedding_model else "majority")
    recipe = RankingRecipe(
        order=by,
        prune_compile=_prunes(prune),
        keep_unchanged=keep_unchanged,
        per_token=per_token and by == "logprob",
        embedding_model=embedding_model if by == "similarity" else None,
        threshold="median" if threshold == "median" else _number(threshold),
    )
    check_recipe(recipe)
    check_name(name or recipe.name)
    ks = None if k is None else numbers(k, "-k")
    check_ks(ks)
    warn_unchecked([run])
    measured = read_run(run)
    values = values_for(_LLM, _options(), own)
    base_url = values.settings.get("base_url")
    access = make_settings(Access, values.access, _LLM)
    with asked_embedder(recipe.embedding_model, base_url, access) as embedder, progress_bar() as progress:
        bar = progress.add_task("bugs ranked", total=len(measured.samples))
        ranking = rank_run(run, recipe, name=name, embedder=embedder, step=lambda: progress.advance(bar))
    path = store_ranking(run, ranking)
    scores = scores_of_ranking(measured, ranking, ks or measured.manifest.experiment.k)
    if json:
        fields = {key: value for key, value in to_data(ranking).items() if key not in ("ranks", "basis")}
        print_json(
            {"run": str(run), "file": str(path), **fields, "scores": to_data(scores.scores), "left_out_scores": scores.left_out}
        )
    else:
        print_scores(f"{ranking.name} of {run}", scores)
    for metric, reason in worth_saying(scores, ks).items():
        say(f"{run}: no {metric}: {reason}")
    _say(ranking, path)


def _prunes(text: str | None) -> bool:
    if text not in (None, "compile"):
        raise UserError(f"--prune is {text!r}: write compile, which leaves out candidates that do not build, or leave it out")
    return text == "compile"


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UserError(f"--threshold is {text!r}: write a number from -1 to 1, or median") from None


def _say(ranking: Ranking, path: Path) -> None:
    dropped = [f"{number} {_REASONS[reason]}" for reason, number in to_data(ranking.left_out).items() if number]
    say(
        f"{ranking.n_ranked} of {count(ranking.n_candidates, 'candidate')} ranked{': ' if dropped else ''}{', '.join(dropped)}; "
        f"written to {path}"
    )
