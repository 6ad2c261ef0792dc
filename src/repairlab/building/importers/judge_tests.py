"""Find the test cases of a problem in a folder, by name and never by position.

Test sets of contests come as CONTEST/TASK/in and out. A problem finds its cases by its id as the name of a folder, by a row of
`problems.csv` (columns problem_id and folder) in the folder of tests, or by its name `Contest - Title` as CONTEST/Title.
"""

import re
from functools import cached_property
from pathlib import Path

from repairlab.building.importers.small_programs import Cases, folders_of, in_out_cases, pair_cases
from repairlab.core.errors import UserError
from repairlab.core.foreign import read_csv

_SHORT = {
    "atcoderbeginnercontest": "abc",
    "atcoderregularcontest": "arc",
    "atcodergrandcontest": "agc",
}


class JudgeTests:
    """A folder of test cases."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise UserError(f"{folder} is no folder; it should hold the test cases")
        self.folder = folder

    def find(self, problem: str, name: str = "") -> Path:
        """Return the folder of a problem's cases; a UserError says where it was looked for."""
        if (self.folder / problem).is_dir():
            return self.folder / problem
        if problem in self._listed:
            return self._listed[problem]
        contest, _, title = name.partition(" - ")
        found = self._by_title.get((_short(contest), _plain(title)))
        if found is None:
            raise UserError(
                f"there are no test cases for {problem}{f' ({name})' if name else ''}: neither a folder {self.folder / problem}, "
                f"nor a row of problems.csv there, nor a folder named after its contest and title"
            )
        return found

    def cases(self, problem: str, name: str = "") -> Cases:
        """Return the cases of a problem: in/NAME and out/NAME, or NAME.in beside NAME.out."""
        folder = self.find(problem, name)
        cases = in_out_cases(folder) if (folder / "in").is_dir() else pair_cases(folder)
        if not cases:
            raise UserError(f"{folder} holds no pair of input and output")
        return cases

    @cached_property
    def _listed(self) -> dict[str, Path]:
        path = self.folder / "problems.csv"
        if not path.is_file():
            return {}
        found = {}
        for where, row in read_csv(path, ("problem_id", "folder")):
            folder = (self.folder / row["folder"]).resolve()
            if not folder.is_dir() or not folder.is_relative_to(self.folder.resolve()):
                raise UserError(f"{where}: {row['folder']!r} is no folder below {self.folder}")
            found[row["problem_id"]] = folder
        return found

    @cached_property
    def _by_title(self) -> dict[tuple[str, str], Path]:
        found: dict[tuple[str, str], Path] = {}
        for contest in folders_of(self.folder):
            for task in folders_of(contest):
                # A letter is a position in the contest, not a name.
                if len(task.name) > 1:
                    found[_short(contest.name), _plain(task.name)] = task
        return found


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", text.lower())


def _short(contest: str) -> str:
    """Return one form of a contest's name.

    >>> _short("AtCoder Beginner Contest 141"), _short("ABC141")
    ('abc141', 'abc141')
    """
    plain = _plain(contest)
    for long, short in _SHORT.items():
        if plain.startswith(long):
            return short + plain.removeprefix(long).zfill(3)
    return plain
