"""May it be the machine that no candidate of a bug was built or came to its tests? Asked by the verbs after a run.

A library that is missing here looks like a candidate that does not compile; then the reference fix does not either.
"""

from collections import defaultdict
from collections.abc import Iterator

from repairlab.core.benchmark import Benchmark
from repairlab.core.candidate import Candidate, Origin
from repairlab.core.outcome import Verdict
from repairlab.core.record import record
from repairlab.runs.store import Store
from repairlab.validation.machine import Machine
from repairlab.validation.preflight import needs_of
from repairlab.validation.validator import validate

_NEVER_TESTED = frozenset({Verdict.UNCOMPILABLE, Verdict.CRASH})


@record
class Doubt:
    """A bug whose reference fix fares no better than the candidates, and how many more bugs may have the same fault."""

    bug_id: str
    verdict: Verdict
    message: str
    n_others: int


def doubts(benchmark: Benchmark, store: Store, machine: Machine) -> Iterator[Doubt]:
    """Yield what is wrong with this machine; of bugs that are built and tested by the same tools the first is tried."""
    verdicts = defaultdict(set)
    for outcome in store.outcomes():
        verdicts[outcome.bug_id].add(outcome.verdict)
    kinds = defaultdict(list)
    for bug_id, seen in verdicts.items():
        if seen <= _NEVER_TESTED:
            bug = benchmark.bug(bug_id)
            kinds[needs_of([bug])].append(bug)
    for first, *others in kinds.values():
        fix = Candidate(bug_id=first.id, edits=first.oracle.reference, rank=1, origin=Origin(repairer="reference"))
        outcome = validate(fix, first, machine.open_sandbox())
        if outcome.verdict in _NEVER_TESTED:
            yield Doubt(bug_id=first.id, verdict=outcome.verdict, message=outcome.message, n_others=len(others))
