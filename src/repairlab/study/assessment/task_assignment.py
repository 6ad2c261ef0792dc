"""Who looks at what: tasks dealt out to raters, a share of them to more than one."""

import random
from collections.abc import Sequence

from repairlab.core.errors import UserError


def draw(
    tasks: Sequence[str], raters: Sequence[str], *, overlap: float = 1.0, per_task: int = 2, seed: int = 0
) -> dict[str, list[str]]:
    """Return the tasks of each rater, in the order in which to look at them.

    A share `overlap` of the tasks goes to `per_task` raters each, all others to one. Nobody gets a task twice, and loads differ by
    one at most. The same seed gives the same; the order of tasks and raters does not matter.

    >>> draw(["a", "b", "c", "d"], ["ada", "ben"], overlap=0.5)
    {'ada': ['c', 'a', 'b'], 'ben': ['c', 'd', 'a']}
    """
    names = sorted(raters)
    if not names or len(set(names)) < len(names) or not all(name.strip() for name in names):
        raise UserError(f"raters are {', '.join(map(repr, raters)) or 'none'}: name each of them once, such as ada,ben")
    if not 0 <= overlap <= 1:
        raise UserError(f"overlap is {overlap:g}: it is the share of tasks that several raters get, from 0 to 1")
    if not 1 <= per_task <= len(names):
        raise UserError(f"each task should go to {per_task} raters, but there are {len(names)}")
    chance = random.Random(seed)
    drawn = sorted(tasks)
    chance.shuffle(drawn)
    n_shared = round(overlap * len(drawn))
    order = list(names)
    chance.shuffle(order)
    dealt: dict[str, list[str]] = {name: [] for name in names}
    turn = 0
    for place, task in enumerate(drawn):
        for _ in range(per_task if place < n_shared else 1):
            dealt[order[turn % len(order)]].append(task)
            turn += 1
    for mine in dealt.values():
        chance.shuffle(mine)  # shared tasks must not stand together at the beginning
    return dealt
