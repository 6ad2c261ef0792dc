"""Find the bug that others' data mean: names differ in case, separators and the benchmark's name before them."""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from repairlab.core.benchmark import Benchmark
from repairlab.core.bug import Bug
from repairlab.core.errors import UnknownNameError, UserError, unknown

_BENCHMARKS = (
    *("defects4j", "d4j", "quixbugs", "qbs", "bears", "bdjar", "humanevaljava", "humaneval-java", "humanevalfix", "humaneval"),
    *("bugsinpy", "swebench", "swe-bench", "fixeval", "codenet", "defects4c", "nl2fix", "gitbug-java", "java", "python"),
)
"""Names that may stand before a bug's own; the longer ones first where one begins another."""
_METHOD = re.compile(r"^([A-Za-z]+)[_-](\d+)_(.+)_(\d+)[_-](\d+)$")
"""Project, number, path, first and last line: how NL2Fix and others name a method of a Defects4J bug."""


class UnknownBugError(UnknownNameError):
    """A name that no bug of a benchmark has."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        """Take what is named, the name, and the names that there are."""
        super().__init__(*unknown(kind, name, known).args)
        self.short, self.name = f"unknown {kind} {name!r}", name


class BugIndex:
    """Finds bugs of one benchmark by others' names for them.

    A name is tried as it is, then without regard to case and separators, then without a benchmark's name before it (`Csv_4`,
    `defects4j<SEP>Csv-4` and `QuixBugs GCD` find `Csv-4`, `Csv-4` and `gcd`), then as the commit that fixed the bug.
    """

    def __init__(self, benchmark: Benchmark) -> None:
        """Take the benchmark whose bugs are meant."""
        self._benchmark = benchmark
        self._exact = frozenset(benchmark.ids)
        self.found: str | None = None
        """The id of the bug that was found last."""

    @cached_property
    def _loose(self) -> dict[str, list[str]]:
        """Ids by the forms that they may have."""
        found: dict[str, list[str]] = {}
        for bug_id in self._benchmark.ids:
            for form in dict.fromkeys(_forms(bug_id, self._benchmark.name)):
                found.setdefault(form, []).append(bug_id)
        return found

    def find(self, name: str) -> Bug:
        """Return the bug that a name means; UserError when there is none or several."""
        wanted = name.removeprefix(f"{self._benchmark.name}/")
        if wanted in self._exact:
            return self._bug(wanted)
        for form in _forms(wanted, self._benchmark.name):
            found = self._loose.get(form, ())
            if found:
                return self._bug(_only(name, found))
        method = _METHOD.match(wanted)
        if method:
            return self.find(f"{method[1]}-{method[2]}")
        raise UnknownBugError(f"bug of {self._benchmark.name}", wanted, self._benchmark.ids)

    def _bug(self, bug_id: str) -> Bug:
        self.found = bug_id
        return self._benchmark.bug(bug_id)

    def of_commit(self, sha: str) -> Bug:
        """Return the bug whose fix is this commit, which may be abbreviated."""
        wanted = sha.lower()
        found = [bug for bug in self._benchmark if (bug.origin.commit or "").lower().startswith(wanted)]
        found = found or [bug for bug in self._benchmark if wanted[:7] in bug.id.lower()]
        if not found:
            raise UnknownBugError(
                f"commit of a bug of {self._benchmark.name}", sha, [bug.origin.commit or bug.id for bug in self._benchmark]
            )
        return self._bug(_only(sha, [bug.id for bug in found]))


def _only(name: str, found: Sequence[str]) -> str:
    if len(found) > 1:
        raise UserError(f"{name!r} may mean any of {', '.join(found[:5])}; write the bug's id")
    return found[0]


def _forms(name: str, benchmark: str) -> list[str]:
    """Return forms of a name, the most telling first.

    >>> _forms("defects4j<SEP>Csv_4", "tiny")
    ['defects4j-csv-4', 'defects4jcsv4', 'csv-4', 'csv4']
    """
    plain = _plain(name)
    forms = [plain, _tight(plain)]
    for prefix in (_plain(benchmark), *_BENCHMARKS):
        if plain.startswith(f"{prefix}-"):
            forms += _forms(plain[len(prefix) + 1 :], benchmark)
            break
    return forms


def _plain(name: str) -> str:
    return re.sub(r"[^0-9a-z]+", "-", name.replace("<SEP>", "-").replace("_SEP_", "-").lower()).strip("-")


def _tight(plain: str) -> str:
    """Leave out separators but those between two digits, so that 1-11 does not become 11-1."""
    return re.sub(r"(?<!\d)-|-(?!\d)", "", plain)
