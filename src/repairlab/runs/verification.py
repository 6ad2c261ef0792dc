"""Verify a run made elsewhere: its files must be unchanged, its records consistent, and its verdicts repeatable."""

import dataclasses
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from repairlab.benchmarks.catalog import Benchmark
from repairlab.core.amounts import count
from repairlab.core.candidate import Candidate
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.record import record
from repairlab.core.storage.encoding import decode
from repairlab.runs.experiment import Manifest, require_benchmark
from repairlab.runs.integrity import find_damage, has_checks, read_seal
from repairlab.runs.store import FILES, Store
from repairlab.runs.validator_pool import ValidatorPool
from repairlab.validation.machine import Machine


@record
class Recheck:
    """One verdict of the run, and those of validating its candidate again."""

    bug_id: str
    rank: int
    candidate_id: str
    claimed: Verdict
    found: tuple[Verdict, ...]
    """One verdict, or two if the first was not as claimed."""
    message: str

    @property
    def state(self) -> str:
        """Return `same`, `unsteady` (it matched the second time), `undecided` (our own machinery failed) or `differs`."""
        if self.claimed in self.found:
            return "same" if len(self.found) == 1 else "unsteady"
        return "undecided" if Verdict.UNDECIDED in self.found else "differs"


@record
class Verification:
    """What was found: no problem, or the differences."""

    n_bugs: int
    n_in_benchmark: int
    n_verdicts: int
    """Verdicts that the run holds, except UNDECIDED ones."""
    seed: int
    damages: tuple[str, ...]
    """Files that changed after they were written, and inconsistent records."""
    rechecks: tuple[Recheck, ...]

    def of(self, state: str) -> tuple[Recheck, ...]:
        """Return the verdicts of one state."""
        return tuple(item for item in self.rechecks if item.state == state)

    @property
    def is_honest(self) -> bool:
        """Whether nothing differs."""
        return not self.damages and not self.of("differs")

    @property
    def most_wrong(self) -> float | None:
        """Return the share of wrong verdicts that a sample of this size misses with 5 % chance; None if verdicts differ."""
        n = len(self.rechecks) - len(self.of("undecided"))
        if self.of("differs") or not n:
            return None
        return 0.0 if n == self.n_verdicts else 1 - 0.05 ** (1 / n)


def verify_run(
    store: Store,
    benchmark: Benchmark,
    machine: Machine,
    *,
    sample: int,
    seed: int,
    progress: Callable[[int, int], None] = lambda done, total: None,  # noqa: ARG005
) -> Verification:
    """Check every line of a run, then validate a random sample of its candidates again, half of it claimed to be plausible."""
    manifest = store.manifest()
    require_benchmark(manifest, benchmark, store.folder, advice="; name the right one with --benchmark")
    damages = list(map(str, find_damage(store)))
    claims: dict[str, Claim] = {}
    if not damages:  # else no record can be trusted
        damages += _unsealed(store)
        claims, wrong = _claims(store)
        damages += [*wrong, *_contradictions(store, manifest, benchmark, claims)]
    decided = {name: item.verdict for name, item in claims.items() if item.verdict and item.verdict is not Verdict.UNDECIDED}
    known = set(manifest.bug_ids) & set(benchmark.ids)
    chosen = draw({name: verdict for name, verdict in decided.items() if claims[name].bug_id in known}, sample, seed)
    rechecks = _judge_again(store, [claims[name] for name in chosen], benchmark, machine, progress)
    return Verification(
        n_bugs=len(manifest.bug_ids),
        n_in_benchmark=len(benchmark.ids),
        n_verdicts=len(decided),
        seed=seed,
        damages=tuple(damages),
        rechecks=tuple(rechecks),
    )


def draw(verdicts: Mapping[str, Verdict], n: int, seed: int) -> list[str]:
    """Return the names of at most `n` verdicts, half of them plausible ones as long as there are enough; by names, not by order.

    >>> claims = {"a": Verdict.WRONG, "b": Verdict.PLAUSIBLE, "c": Verdict.WRONG, "d": Verdict.WRONG}
    >>> draw(claims, 2, 7) == draw(dict(reversed(claims.items())), 2, 7), "b" in draw(claims, 2, 1)
    (True, True)
    """
    chance = random.Random(seed)
    plausible, others = (
        sorted(name for name, verdict in verdicts.items() if (verdict is Verdict.PLAUSIBLE) is wanted) for wanted in (True, False)
    )
    n_plausible = min(len(plausible), max((n + 1) // 2, n - len(others)))
    return chance.sample(plausible, n_plausible) + chance.sample(others, min(len(others), n - n_plausible))


@record
class Claim:
    """The first of equal candidates, and what the run says of it."""

    bug_id: str
    rank: int
    place: int
    """Of its line."""
    verdict: Verdict | None = None
    """None without any."""


def _unsealed(store: Store) -> Iterator[str]:
    if not has_checks(store.folder):
        yield "its lines have no checks: damage cannot be noticed"
    elif read_seal(store) is None:
        yield "it has no seal: the run is not finished, or was changed behind its end"


def _claims(store: Store) -> tuple[dict[str, Claim], list[str]]:
    """Return the verdicts by the names of their candidates, and names or bugs that do not match the content."""
    found: dict[str, Claim] = {}
    wrong = []
    for place, data in store.scan_data(Candidate):
        name = data["id"]
        candidate = decode(Candidate, data, FILES[Candidate])
        if candidate.id != name:
            wrong.append(f"bug {candidate.bug_id}: the candidate of rank {candidate.rank} is not the one of its name {name}")
        found.setdefault(name, Claim(bug_id=candidate.bug_id, rank=candidate.rank, place=place))
    nameless = []
    for name, bug_id, verdict in store.facts(Outcome, lambda data: (data["candidate_id"], data["bug_id"], data["verdict"])):
        if name not in found:
            nameless.append(name)
        elif found[name].bug_id != bug_id:
            wrong.append(f"bug {found[name].bug_id}: the verdict on {name} is on a candidate of {bug_id}")
        else:
            found[name] = dataclasses.replace(found[name], verdict=Verdict(verdict))
    if nameless:
        wrong.append(f"{count(len(nameless), 'verdict')} on candidates that are not there, {nameless[0]} first")
    return found, wrong


def _contradictions(store: Store, manifest: Manifest, benchmark: Benchmark, claims: Mapping[str, Claim]) -> Iterator[str]:
    """Report records that cannot belong to one run with these settings."""
    settings, mine = manifest.experiment, set(manifest.bug_ids)
    chosen = [bug.id for bug in benchmark.select(settings.include, limit=settings.limit)]
    left_out = [bug_id for bug_id in chosen if bug_id not in mine]
    if left_out and not settings.skip_unfit:
        yield f"{count(len(left_out), 'bug')} left out that the settings choose, {left_out[0]} first"
    if strange := sorted(mine.difference(chosen)):
        yield f"bug {strange[0]} is none that the settings choose"
    ranks: dict[str, list[int]] = defaultdict(list)
    for bug_id, rank in store.facts(Candidate, lambda data: (data["bug_id"], data["rank"])):
        ranks[bug_id].append(rank)
    for bug_id, drawn in ranks.items():
        if doubled := [rank for rank, n in Counter(drawn).items() if n > 1]:
            yield f"bug {bug_id}: two candidates have rank {doubled[0]}"
        if len(drawn) > settings.n:
            yield f"bug {bug_id}: {len(drawn)} candidates, but the settings allow {settings.n}"
    ended = {end.bug_id: end.ended for end in store.ends()}
    for bug_id in manifest.bug_ids:
        if bug_id not in ended:
            yield f"bug {bug_id} is not finished"
        elif ended[bug_id] == "asked" and len(ranks[bug_id]) < settings.n:
            yield f"bug {bug_id}: {count(len(ranks[bug_id]), 'candidate')} where {settings.n} were asked for"
    for claim in claims.values():
        if claim.verdict is None:
            yield f"bug {claim.bug_id}: the candidate of rank {claim.rank} has no verdict"


def _judge_again(
    store: Store, chosen: Sequence[Claim], benchmark: Benchmark, machine: Machine, progress: Callable[[int, int], None]
) -> list[Recheck]:
    """Validate candidates without the verdicts of earlier runs; one that differs is tried again."""
    pool = ValidatorPool(dataclasses.replace(machine, use_verdicts=False))
    settings = store.manifest().experiment
    by_bug = sorted(chosen, key=lambda claim: (claim.bug_id, claim.rank))  # a worker keeps its bug open

    def judge(claim: Claim) -> Recheck:
        candidate = store.at(Candidate, claim.place)
        bug, least = benchmark.bug(claim.bug_id), settings.min_strength
        opened = pool.opened(bug, policy=settings.policy, confirm=settings.confirm, min_strength=least)
        outcomes = [pool.judge(opened, candidate).outcome]
        if outcomes[0].verdict != claim.verdict:
            outcomes.append(pool.judge(opened, candidate).outcome)
        return Recheck(
            bug_id=claim.bug_id,
            rank=claim.rank,
            candidate_id=candidate.id,
            claimed=claim.verdict or Verdict.UNDECIDED,
            found=tuple(outcome.verdict for outcome in outcomes),
            message=outcomes[-1].message,
        )

    rechecks = []
    try:
        with ThreadPoolExecutor(machine.workers) as threads:
            for done, item in enumerate(threads.map(judge, by_bug), start=1):
                rechecks.append(item)
                progress(done, len(by_bug))
    finally:
        pool.close()
    return rechecks
