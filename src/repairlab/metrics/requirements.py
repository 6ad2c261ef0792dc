"""What metrics ask of a run before they give a number. Each function raises a UserError that says what to do instead."""

from collections.abc import Sequence

from repairlab.core.errors import UserError
from repairlab.core.samples import Samples


def need_k(metric: str, k: int, n: int) -> None:
    """Refuse a k that the run cannot support."""
    if not 1 <= k <= n:
        raise UserError(f"{metric}: k is {k}, but the run asked for n = {n} candidates per bug; choose k from 1 to {n}")


def need_finished(metric: str, samples: Sequence[Samples]) -> None:
    """Refuse a run that was cut."""
    cut = [item.bug_id for item in samples if item.ended == "unfinished"]
    if cut:
        raise UserError(f"{metric}: {len(cut)} of {len(samples)} bugs are unfinished, the first is {cut[0]}; let the run end first")


def need_all_candidates(metric: str, samples: Sequence[Samples], n: int) -> None:
    """Refuse a run that stopped at the first plausible candidate, because the ones that were never drawn would count."""
    early = [item.bug_id for item in samples if item.ended == "solved" and len(item.verdicts) < n]
    if early:
        raise UserError(
            f"{metric}: the run stopped at the first plausible candidate for {len(early)} of {len(samples)} bugs, the first is "
            f"{early[0]}; use top@k, or run again with --all-candidates"
        )


def need_independent(metric: str, rounds: int) -> None:
    """Refuse a conversation, because each of its candidates depends on those before."""
    if rounds > 1:
        raise UserError(
            f"{metric}: the candidates of a conversation ({rounds} rounds) depend on each other; use top@k, "
            "the share of bugs solved within k tries"
        )
