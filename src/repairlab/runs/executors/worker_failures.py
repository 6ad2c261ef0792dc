"""How many ends of workers there were over the same thing. For sources of work, which give up a thing over which too many died."""

from collections import defaultdict
from collections.abc import Hashable


class Deaths:
    """Counts ends of workers; those that ended with the machine they were on are one."""

    def __init__(self) -> None:
        self._machines: defaultdict[Hashable, list[str | None]] = defaultdict(list)

    def add(self, thing: Hashable, machine: str | None) -> int:
        """Take note that a worker, or a machine with all its workers, ended over a thing; return how many did by now.

        >>> deaths = Deaths()
        >>> deaths.add("bug", "a"), deaths.add("bug", "a"), deaths.add("bug", None), deaths.add("bug", None)
        (1, 1, 2, 3)
        """
        ended = self._machines[thing]
        if machine is None or machine not in ended:
            ended.append(machine)
        return len(ended)
