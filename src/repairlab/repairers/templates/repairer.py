"""The repairer `templates`, as the table lists it; quick to load, for the patterns are loaded when something is proposed."""

from collections.abc import Iterator

from repairlab.core.candidate import Attempt, Candidate, Origin
from repairlab.core.problem import Problem


class Templates:
    """Generates candidates by applying fix patterns to the suspicious statements (TBar, kPAR, PAR, Kali, jMutRepair)."""

    name = "templates"
    finds_place = False

    def propose(self, problem: Problem, history: tuple[Attempt, ...]) -> Iterator[Candidate]:
        """Yield candidates, likeliest first; a conversation goes on behind what it has seen."""
        from repairlab.repairers.templates.engine import admitted  # noqa: PLC0415  # takes a while to load
        from repairlab.repairers.templates.locate import places  # noqa: PLC0415  # as above

        done = len(history)
        for rank, (made, parts) in enumerate(admitted(places(problem), problem.language), start=1):
            if rank > done:
                settings = (("template", " + ".join(dict.fromkeys(part.pattern for part in parts))), ("line", str(parts[0].line)))
                yield Candidate(bug_id=problem.id, edits=made, rank=rank, origin=Origin(repairer=self.name, settings=settings))
