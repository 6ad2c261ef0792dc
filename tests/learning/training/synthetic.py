"""Pairs with a pattern that a network can learn, for tests of training."""

import random
from contextlib import ExitStack
from pathlib import Path

from repairlab.core.pair import Pair, PairSet
from repairlab.learning.pairs.pair_files import PairWriter

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


def java_pairs(folder: Path, sizes: dict[str, int], *, seed: int = 1) -> Path:
    """Write whole methods in which the bound of a loop is one too high."""
    chance = random.Random(seed)
    folder.mkdir(parents=True)
    facts = PairSet(name="bounds", version="1", licence="MIT", description="Loops.", language="java", form="method", abstract=False)
    words = ("items", "values", "rows", "cells", "parts", "names")
    with ExitStack() as stack:
        writer = PairWriter(folder, stack)
        for split, n in sizes.items():
            while writer.counts.get(split, 0) < n:
                name, other, method = (chance.choice(words) for _ in range(3))
                number = chance.randrange(8)
                text = (
                    f"int {method}(int[] {name}, int {other}) {{\n    int sum = {number};\n"
                    f"    for (int i = 0; i <= {name}.length; i++) {{\n        sum += {name}[i];\n    }}\n"
                    f"    return sum + {other};\n}}\n"
                )
                fixed = text.replace("i <=", "i <")
                name = f"{split}-{chance.randrange(10**9)}"
                writer.add(split, Pair(id=name, buggy=text, fixed=fixed, verdict="Wrong Answer"))
        stack.close()
        writer.finish(facts)
    return folder


def python_pairs(folder: Path, sizes: dict[str, int], *, seed: int = 1) -> Path:
    """Write functions whose sum must begin with 0."""
    chance = random.Random(seed)
    folder.mkdir(parents=True)
    facts = PairSet(name="sums", version="1", licence="MIT", description="Sums.", language="python", form="method", abstract=False)
    words = ("numbers", "prices", "weights", "total", "amounts", "sizes")
    with ExitStack() as stack:
        writer = PairWriter(folder, stack)
        for split, n in sizes.items():
            while writer.counts.get(split, 0) < n:
                name, method = chance.choice(words), chance.choice(words)
                first = chance.randrange(1, 4)
                head = f"def {method}({name}):\n    result = {first}\n"
                text = f"{head}    for one in {name}:\n        result += one\n    return result\n"
                fixed = text.replace(f"result = {first}", "result = 0")
                writer.add(split, Pair(id=f"{split}-{chance.randrange(10**9)}", buggy=text, fixed=fixed))
        stack.close()
        writer.finish(facts)
    return folder
