"""Pairs with a pattern that a network can learn, for tests of training."""

import random
from contextlib import ExitStack
from pathlib import Path

from repairlab.benchmarks.pairs import PairWriter
from repairlab.core.pair import Pair, PairSet

NAMES = ("VAR_1", "VAR_2", "VAR_3", "METHOD_1", "METHOD_2")


def token_pairs(folder: Path, sizes: dict[str, int], *, seed: int = 1) -> Path:
    """Write abstract methods in which `<=` has to be `<`, and a null check comes before a call."""
    chance = random.Random(seed)
    folder.mkdir(parents=True)
    facts = PairSet(
        name="pattern", version="1", licence="MIT", description="A pattern.", language="java", form="method", abstract=True
    )
    with ExitStack() as stack:
        writer = PairWriter(folder, stack)
        for split, n in sizes.items():
            while writer.counts.get(split, 0) < n:
                a, b, c = (chance.choice(NAMES) for _ in range(3))
                number = chance.randrange(10)
                buggy = f"void {a} ( ) {{ if ( {b} <= {number} ) {{ {c} . METHOD_3 ( {b} ) ; }} }}"
                fixed = f"void {a} ( ) {{ if ( {b} < {number} && {c} != null ) {{ {c} . METHOD_3 ( {b} ) ; }} }}"
                writer.add(split, Pair(id=f"{split}-{chance.randrange(10**9)}", buggy=buggy, fixed=fixed))
        stack.close()
        writer.finish(facts)
    return folder
