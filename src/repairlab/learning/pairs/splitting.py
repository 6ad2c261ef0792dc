"""Split a set of pairs again: at random, by project, by problem or by time.

Two passes: the first keeps a few numbers for each pair, the second writes.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

from repairlab.core.errors import UserError
from repairlab.core.pair import Pair
from repairlab.core.record import record, to_data
from repairlab.learning.pairs.edits import edit_of
from repairlab.learning.pairs.pair_files import Decide, Drop, Rewritten, every_pair, rewrite

SplitBy = Literal["random", "project", "problem", "time"]
SPLIT_BY: tuple[SplitBy, ...] = ("random", "project", "problem", "time")
Stratum = Literal["", "edit", "length", "project"]
STRATA: tuple[Stratum, ...] = ("", "edit", "length", "project")


@record
class SplitSettings:
    """How a set is split."""

    shares: Mapping[str, float]
    """Split → share of the pairs; they add up to 1. By time the first split has the oldest pairs."""
    by: SplitBy = "random"
    stratify: Stratum = ""
    """What is spread evenly over the splits: kinds of edits, lengths, projects."""
    seed: int = 0


def split_pairs(source: Path, to: Path, settings: SplitSettings, *, done: Callable[[], None] = lambda: None) -> Rewritten:
    """Write a set with the same pairs in new splits."""
    check_split(settings)
    choose = _WAYS[settings.by](source, settings)
    return rewrite(source, to, {"by": "pairs split", "settings": to_data(settings)}, choose, done=done)


def check_split(settings: SplitSettings) -> None:
    """Refuse impossible shares, and options that do not go together."""
    shares = settings.shares
    if not shares or min(shares.values()) <= 0 or abs(sum(shares.values()) - 1) > 1e-6:
        shown = ",".join(f"{name}={share:g}" for name, share in shares.items())
        raise UserError(f"the shares {shown or 'are missing'}: each must be more than 0, and together they must be 1")
    if settings.stratify and settings.by != "random":
        raise UserError(f"a split by {settings.by} cannot be stratified; leave one of the two out")


def _at_random(source: Path, settings: SplitSettings) -> Callable[[str, Pair], str]:
    """Order the pairs of each stratum by a hash and cut the order: sizes are exact to one pair for each stratum."""
    strata: dict[str, list[tuple[int, str]]] = {}
    for split, pair in every_pair(source):
        strata.setdefault(_stratum(pair, settings.stratify), []).append(
            (order_of(settings.seed, split, pair.id), f"{split}/{pair.id}")
        )
    chosen: dict[str, str] = {}
    rest = 0.0
    for name in sorted(strata):
        keys = [key for _, key in sorted(strata[name])]
        start = 0
        for split, end in _cuts(settings.shares, len(keys), rest):
            chosen.update(dict.fromkeys(keys[start:end], split))
            start = end
        rest = (rest + len(keys) * 0.5) % 1  # so that rounding does not always favour the same split
    return lambda split, pair: chosen[f"{split}/{pair.id}"]


def _cuts(shares: Mapping[str, float], n: int, offset: float) -> list[tuple[str, int]]:
    """Return where each split ends among n pairs."""
    total, cuts = 0.0, []
    for name, share in shares.items():
        total += share
        cuts.append((name, min(n, int(total * n + offset))))
    cuts[-1] = (cuts[-1][0], n)
    return cuts


def _stratum(pair: Pair, kind: Stratum) -> str:
    if kind == "edit":
        return edit_of(pair.buggy, pair.fixed).kind
    if kind == "length":
        return str(len(pair.buggy.split()).bit_length())
    return pair.repository or "" if kind == "project" else ""


def _by_project(source: Path, settings: SplitSettings) -> Callable[[str, Pair], str | Drop]:
    return _by_group(source, settings, "repository", lambda pair: pair.repository)


def _by_problem(source: Path, settings: SplitSettings) -> Callable[[str, Pair], str | Drop]:
    return _by_group(source, settings, "problem", lambda pair: pair.problem)


def _by_group(
    source: Path, settings: SplitSettings, noun: str, group_of: Callable[[Pair], str | None]
) -> Callable[[str, Pair], str | Drop]:
    """Distribute whole groups, so that no two splits share one."""
    sizes = Counter(group for _, pair in every_pair(source) if (group := group_of(pair)))
    if not sizes:
        raise UserError(f"no pair of {source} names its {noun}, so they cannot be split by {settings.by}; split them at random")
    chosen = deal(sizes, settings.shares, settings.seed)

    def choose(_split: str, pair: Pair) -> str | Drop:
        group = group_of(pair)
        return chosen[group] if group else Drop(reason=f"no {noun} is known")

    return choose


def deal(
    sizes: Mapping[str, int], shares: Mapping[str, float], seed: int, *, missing: dict[str, float] | None = None
) -> dict[str, str]:
    """Return the split of each group: in a random order, each goes to the split that lacks most.

    `missing` is what splits lack already, in pairs; it is changed to what they lack now, for the groups of the next stratum.
    """
    missing = dict.fromkeys(shares, 0.0) if missing is None else missing
    n = sum(sizes.values())
    for split, share in shares.items():
        missing[split] += share * n
    chosen: dict[str, str] = {}
    # Large groups first, so that the small ones fill what is left.
    for name in sorted(sizes, key=lambda name: (-sizes[name].bit_length(), order_of(seed, name))):
        chosen[name] = max(missing, key=lambda split: missing[split])
        missing[chosen[name]] -= sizes[name]
    return chosen


def _by_time(source: Path, settings: SplitSettings) -> Callable[[str, Pair], str | Drop]:
    """Cut at moments: pairs of the same moment stay together, and later ones are in a later split."""
    times = sorted(pair.time for _, pair in every_pair(source) if pair.time)
    if not times:
        raise UserError(f"no pair of {source} says when it was fixed, so they cannot be split by time; split them at random")
    cuts = [(split, times[end - 1] if end else "") for split, end in _cuts(settings.shares, len(times), 0.0)]

    def choose(_split: str, pair: Pair) -> str | Drop:
        if not pair.time:
            return Drop(reason="no time is known")
        return next(split for split, last in cuts if pair.time <= last)

    return choose


def order_of(seed: int, *words: str) -> int:
    """Return a number that orders things randomly, the same in every process."""
    text = "\0".join((str(seed), *words)).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")


_WAYS: Mapping[SplitBy, Callable[[Path, SplitSettings], Decide]] = {
    "random": _at_random,
    "project": _by_project,
    "problem": _by_problem,
    "time": _by_time,
}
