"""Rankings of a run's candidates as they are kept in its folder."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from repairlab.core.errors import UserError, unknown
from repairlab.core.outcome import Verdict
from repairlab.core.record import digest, record
from repairlab.core.score import Samples
from repairlab.core.storage.encoding import decode, store_json
from repairlab.metrics.pass_at_k import Ranked
from repairlab.study.ranking.rankers import ORDERS, THRESHOLD

FOLDER = "rankings"
UNBUILT = (Verdict.UNCOMPILABLE, Verdict.UNAPPLICABLE)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@record
class RankingRecipe:
    """Everything that decides a ranking."""

    order: str
    prune_compile: bool = False
    """Leave out candidates that do not build."""
    keep_unchanged: bool = False
    """Keep candidates that differ from the buggy program only in comments and white space."""
    per_token: bool = False
    """logprob: divided by the number of the answer's tokens."""
    embedding_model: str | None = None
    """similarity: what makes the embeddings."""
    threshold: float | Literal["median"] = THRESHOLD
    """similarity: below it candidates are left out; `median`: that of all the run's candidates."""

    @property
    def text(self) -> str:
        """Return the recipe as part of a score's signature."""
        parts = [self.order]
        if self.order == "similarity":
            parts += [str(self.embedding_model).replace("|", "/"), f"threshold={self.threshold}"]
        flags = {"per-token": self.per_token, "prune=compile": self.prune_compile, "unchanged=kept": self.keep_unchanged}
        return ",".join((*parts, *(flag for flag, is_set in flags.items() if is_set)))

    @property
    def name(self) -> str:
        """Return a ranking's default name."""
        return (
            self.order
            + ("-per-token" if self.per_token else "")
            + ("-compile" if self.prune_compile else "")
            + ("-unchanged" if self.keep_unchanged else "")
        )


@record
class LeftOut:
    """How many candidates are not in a ranking, each counted under the first reason that applies."""

    unapplicable: int = 0
    unbuilt: int = 0
    unchanged: int = 0
    unembeddable: int = 0
    """Empty, or too long for the embedding model."""
    dissimilar: int = 0
    duplicates: int = 0


@record
class Ranking:
    """One file of the folder `rankings`."""

    name: str
    recipe: RankingRecipe
    threshold: float | None
    """The similarity below which candidates were left out; None for other orders."""
    n_candidates: int
    n_ranked: int
    left_out: LeftOut
    basis: str
    """Digest of what the order depends on and a run can still change."""
    ranks: dict[str, tuple[int, ...]]
    """By bug, the candidates' ranks in the new order."""

    def ranked(self) -> Ranked:
        """Return what metrics need of it."""
        return Ranked(name=self.name, recipe=self.recipe.text, ranks=self.ranks)


def check_recipe(recipe: RankingRecipe) -> None:
    """Refuse a recipe that cannot work."""
    if recipe.order not in ORDERS:
        raise unknown("order", recipe.order, ORDERS)
    if recipe.order == "similarity" and recipe.embedding_model is None:
        raise UserError(
            "the order similarity needs a model that makes embeddings: --embedding-model openai/text-embedding-3-small, or "
            "local/NAME for a sentence-transformers model on this machine"
        )
    if recipe.threshold != "median" and not -1 <= recipe.threshold <= 1:
        raise UserError(f"--threshold is {recipe.threshold}: a cosine lies between -1 and 1; write such a number, or median")


def basis_of(samples: Sequence[Samples]) -> str:
    """Return the digest of which candidates there are and which of them do not build."""
    return digest([[item.bug_id, "".join("-" if verdict in UNBUILT else "+" for verdict in item.verdicts)] for item in samples])


def check_name(name: str) -> None:
    """Refuse a name that is more than a plain file name."""
    if not _NAME.fullmatch(name):
        raise UserError(f"--name is {name!r}: write letters, digits, dots, dashes and underscores")


def store_ranking(folder: Path, ranking: Ranking) -> Path:
    """Write a ranking into a run folder, replacing one of the same name."""
    path = folder / FOLDER / f"{ranking.name}.json"
    store_json(path, ranking, indent=None)
    return path


def ranking_files(folder: Path) -> list[Path]:
    """Return the files of all rankings of a run, by name."""
    return sorted((folder / FOLDER).glob("[!.]*.json"))


def read_ranking(path: Path, samples: Sequence[Samples]) -> Ranking:
    """Read a ranking; UserError if the run has changed since it was made."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read ({error}); rank again, or delete the file") from None
    ranking = decode(Ranking, data if isinstance(data, dict) else None, path.name)
    n_drawn = {item.bug_id: len(item.verdicts) for item in samples}
    fits = ranking.basis == basis_of(samples) and all(
        1 <= rank <= n_drawn.get(bug_id, 0) for bug_id, ranks in ranking.ranks.items() for rank in ranks
    )
    if not fits or not set(n_drawn) <= set(ranking.ranks):
        raise UserError(f"{path} was made before the run changed; make it again with: repairlab rank {path.parent.parent} …")
    return ranking
