"""Make a set of pairs from another one, pair by pair, and say what was dropped and why. All verbs that change sets use it.

Beside the pairs lie dropped.jsonl (one line for each pair left out) and made.jsonl (one line for each step since the import).
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

from repairlab.core.errors import UserError
from repairlab.core.pair import Pair
from repairlab.core.record import record, to_json
from repairlab.core.storage.new_folder import new_folder
from repairlab.core.version import VERSION
from repairlab.learning.pairs.pair_files import PairWriter, read_head, read_pairs

DROPPED, MADE = "dropped.jsonl", "made.jsonl"


@record
class Drop:
    """Why a pair is left out."""

    reason: str
    of: str = ""
    """What it repeats, if that is the reason: a pair as SPLIT/ID, or a bug."""
    similarity: float | None = None


Decision = str | Drop
"""The split that a pair goes to, or why it goes to none."""
Decide = Callable[[str, Pair], Decision]


@record
class Rewritten:
    """What came of it."""

    folder: Path
    splits: dict[str, int]
    dropped: dict[str, int]
    """Reason → number of pairs."""


def rewrite(
    source: Path, to: Path, step: Mapping[str, object], decide: Decide, *, done: Callable[[], None] = lambda: None
) -> Rewritten:
    """Write a new set with the pairs of another that are kept, or nothing at all; `step` is what made.jsonl says of it."""
    facts, before = read_head(source)
    dropped: Counter[str] = Counter()
    with new_folder(to) as aside, ExitStack() as stack:
        writer = PairWriter(aside, stack)
        log = stack.enter_context((aside / DROPPED).open("w", encoding="utf-8"))
        for split, pair in every_pair(source):
            decision = decide(split, pair)
            if isinstance(decision, str) and not writer.add(decision, pair):
                decision = Drop(reason="repeated in its new split")
            if isinstance(decision, Drop):
                dropped[decision.reason] += 1
                facts_of_drop = {"split": split, "id": pair.id, "reason": decision.reason, "of": decision.of or None}
                log.write(to_json(facts_of_drop | {"similarity": decision.similarity}) + "\n")
            done()
        if not writer.counts:
            raise UserError(f"no pair of {source} is left ({_reasons(dropped)}); nothing was written")
        made = {**step, "source": facts.name, "from": before, "to": writer.counts, "dropped": dict(dropped)}
        history = (source / MADE).read_text(encoding="utf-8") if (source / MADE).is_file() else ""
        (aside / MADE).write_text(history + json.dumps(made | {"repairlab": VERSION}) + "\n", encoding="utf-8")
        stack.close()
        writer.finish(facts)
    return Rewritten(folder=to, splits=writer.counts, dropped=dict(dropped))


def every_pair(folder: Path) -> Iterator[tuple[str, Pair]]:
    """Yield all pairs of a set with their splits, split by split."""
    _, splits = read_head(folder)
    for split in splits:
        for pair in read_pairs(folder, split):
            yield split, pair


def _reasons(dropped: Counter[str]) -> str:
    return ", ".join(f"{reason}: {n}" for reason, n in dropped.most_common()) or "it is empty"
