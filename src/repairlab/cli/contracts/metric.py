"""What every metric promises: it is pure, takes any samples, does not mind their order, and says in what range its values lie."""

import random
from collections.abc import Iterator, Sequence

from repairlab.cli.contracts.check import Check, SelfTestContext, attempt
from repairlab.core.errors import UserError
from repairlab.core.outcome import Verdict
from repairlab.core.record import to_json
from repairlab.core.samples import Samples
from repairlab.metrics.settings import ScoreSettings
from repairlab.metrics.table import METRICS
from repairlab.metrics.values import Values

N = 6
SETTINGS = ScoreSettings(n=N, benchmark="toy@1#0", policy="full", conditions=(), rounds=1, duplicates="counted", repairlab="0")
_VERDICTS = tuple(Verdict)


def checks(name: str, context: SelfTestContext) -> Iterator[Check]:
    """Try a metric."""
    del context
    ks = (1, N) if "@k" in name else (0,)
    runs = [drawn_samples(seed) for seed in range(40)]
    yield attempt("it takes samples of all kinds", lambda: _takes(name, ks, [[], *runs, *([item] for item in runs[0])]))
    yield attempt("it is pure", lambda: _is_pure(name, ks, runs))
    yield attempt("the order of bugs does not matter", lambda: _is_even(name, ks, runs))
    yield attempt("a share lies between 0 and 1", lambda: _in_range(name, ks, runs))


def drawn_samples(seed: int) -> list[Samples]:
    """Return some bugs with verdicts drawn at random: none, all UNDECIDED, and any others."""
    draw = random.Random(seed)
    made = []
    for number in range(draw.randint(1, 5)):
        n = draw.choice((0, 1, N, N, N))
        verdicts = tuple(draw.choice(_VERDICTS) for _ in range(n))
        made.append(
            Samples(
                bug_id=f"bug-{number}",
                language="c",
                verdicts=(Verdict.UNDECIDED,) * n if draw.random() < 0.1 else verdicts,
                passed=tuple(draw.random() for _ in range(n)),
                distinct=draw.randint(min(1, n), n),
                ended="asked" if n == N else "exhausted",
            )
        )
    return made


def _measured(name: str, k: int, samples: Sequence[Samples]) -> Values | None:
    try:
        return METRICS[name].measure(samples, SETTINGS, k)
    except UserError as error:
        if not str(error).startswith(f"{name.partition('@')[0]}"):
            raise ValueError(f"its message should begin with its name: {error}") from error
        return None


def _takes(name: str, ks: Sequence[int], runs: Sequence[Sequence[Samples]]) -> str:
    for samples in runs:
        for k in ks:
            values = _measured(name, k, samples)
            if values is not None and not set(values.by_bug) <= {item.bug_id for item in samples}:
                return f"it has values for bugs that there are not: {sorted(values.by_bug)}"
    return ""


def _is_pure(name: str, ks: Sequence[int], runs: Sequence[list[Samples]]) -> str:
    for samples in runs:
        before = to_json(samples)
        for k in ks:
            if _measured(name, k, samples) != _measured(name, k, samples):
                return "the same samples gave two values"
        if to_json(samples) != before:
            return "it changed the samples"
    return ""


def _is_even(name: str, ks: Sequence[int], runs: Sequence[list[Samples]]) -> str:
    for samples in runs:
        for k in ks:
            one, two = _measured(name, k, samples), _measured(name, k, samples[::-1])
            if (one and one.by_bug) != (two and two.by_bug):
                return "the order of bugs changed a value"
    return ""


def _in_range(name: str, ks: Sequence[int], runs: Sequence[list[Samples]]) -> str:
    for samples in runs if METRICS[name].is_share else ():
        for k in ks:
            values = _measured(name, k, samples)
            for bug_id, value in (values.by_bug if values else {}).items():
                if not 0 <= value <= 1:
                    return f"it is {value} for {bug_id}; say is_share=False where that is meant"
    return ""
