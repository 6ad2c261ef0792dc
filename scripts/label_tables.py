"""Make the tables of docs/results/labels.md: what our rules say of fixes that people labelled.

python scripts/label_tables.py dissection DISSECTION DEFECTS4J CLONES   repair actions and patterns of 395 bugs of Defects4J
python scripts/label_tables.py defects4c RECORDS PATCHES                location and category of the 359 records of Defects4C

DISSECTION is defects4j-bugs.json of program-repair/defects4j-dissection, DEFECTS4J a checkout of rjust/defects4j, CLONES a folder
with clones of the projects; bugs of projects that are not there are labelled by the lines of their patch alone. RECORDS is the
folder of projects of Defects4C with bugs_list_new.json, PATCHES JSON Lines with sha and files (filename, patch).
"""

import argparse
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from repairlab.building.importers.repository import Repository
from repairlab.core.diff import FilePatch, apply_edits, edits_of_patch, parse_patch
from repairlab.core.errors import UserError
from repairlab.core.foreign import read_csv, read_json, read_json_lines
from repairlab.core.record import record
from repairlab.study.labelling.actions import ACTIONS, actions
from repairlab.study.labelling.category import suggest
from repairlab.study.labelling.error_type import error_type
from repairlab.study.labelling.extent import extent_of_hunks
from repairlab.study.labelling.file_change import FileChange
from repairlab.study.labelling.patterns import PATTERNS, SHAPES, patterns

CLONES = {"Closure": "closure-compiler", "Math": "commons-math", "Lang": "commons-lang", "Mockito": "mockito", "Time": "joda-time"}
READ = ("Chart", "Closure")
"""Projects whose fixes were read while the rules were written; the others tell what they are worth."""
SEED = 2018
VAGUE = {"missComp", "wrongComp", "initFix", "notClassified", "fixAPI", "blockRemove", "missNullCheckN", "missNullCheckP"}
"""Hand labels that say nothing of the size of a fix; the next are of statements around others, of parts, words and statements."""
WRAPS = {"wrapsIf", "wrapsElse", "wrapsTryCatch", "wrapsLoop", "unwrapTryCatch"}
PARTS = {"expLogicExpand", "expLogicReduce", "expArithMod", "wrapsMethod", "unwrapMethod", "wrapsIfElse", "unwrapIfElse"}
WORDS = {"constChange", "wrongVarRef", "wrongMethodRef"}
STEPS = {"assignAdd", "assignRem", "condBranIfAdd", "condBranIfElseAdd", "condBranRem", "exTryCatchAdd", "loopAdd", "loopRem"}
STEPS |= {"varAdd", "varRem"}
_HUNK = re.compile(r"@@ -(\S+) \+(\S+) @@(.*)")


@record
class Counts:
    """How often a label is found where people gave it, where they did not, and missed."""

    both: int
    found_only: int
    missed: int

    @property
    def cells(self) -> tuple[str, ...]:
        """Return the number of bugs with the label, precision and recall."""
        n_found, n = self.both + self.found_only, self.both + self.missed
        return str(n), f"{self.both / n_found:.2f}" if n_found else "–", f"{self.both / n:.2f}" if n else "–"


def dissection(labelled: Path, checkout: Path, clones: Path) -> Iterator[str]:
    """Yield the table of repair actions and patterns."""
    found: dict[str, dict[str, tuple[set[str], set[str]]]] = defaultdict(dict)
    n_whole = 0
    changed: dict[str, list[FileChange]] = {}
    for bug in read_json(labelled):
        changes = _from_clone(bug, checkout, clones)
        n_whole += changes is not None
        changes = changes or [_from_patch(patch) for patch in parse_patch(bug["diff"])]
        changes = [change.code for change in changes]  # as the verb does
        changed[f"{bug['project']}-{bug['bugId']}"] = [change for change in changes if change.before != change.after]
        edits = [change.edits for change in changes]
        ours = {name for item in edits for name in actions(item)} | set(patterns(changes, edits))
        found[bug["project"]][str(bug["bugId"])] = ours, {*bug["repairActions"], *bug["repairPatterns"]}
    every = [both for bugs in found.values() for both in bugs.values()]
    unseen = [both for project, bugs in found.items() if project not in READ for both in bugs.values()]
    yield f"{len(every)} bugs, {n_whole} of them with whole files, the rest by the lines of their patch; "
    yield f"{len(unseen)} are of projects whose fixes were not read\n\n"
    yield "| label | all bugs | precision | recall | unread bugs | precision, unread | recall, unread |\n"
    yield "| --- | --- | --- | --- | --- | --- | --- |\n"
    names = [*ACTIONS, *PATTERNS, *SHAPES]
    rows = {name: [_count([name], part) for part in (every, unseen)] for name in names}
    rows["all actions"] = [_count(list(ACTIONS), part) for part in (every, unseen)]
    rows["all patterns"] = [_count([*PATTERNS, *SHAPES], part) for part in (every, unseen)]
    rows["all"] = [_count(names, part) for part in (every, unseen)]
    for name, (whole, rest) in rows.items():
        yield f"| {name} | {' | '.join((*whole.cells, *rest.cells))} |\n"
    yield from elements(labelled, changed)


def elements(labelled: Path, changed: Mapping[str, list[FileChange]]) -> Iterator[str]:
    """Yield the table of elements: those that hand labels leave no choice about, in two halves of which one was not looked at."""
    names = sorted(changed)
    random.Random(SEED).shuffle(names)
    tuned = frozenset(names[: len(names) // 2])
    found: Counter[tuple[bool, str, str]] = Counter()
    for bug in read_json(labelled):
        name, stated = f"{bug['project']}-{bug['bugId']}", implied_element(bug)
        ours = error_type(changed[name]) if stated else None
        if stated and ours:
            found[name in tuned, stated, ours.element] += 1
    yield f"\nhalves by seed {SEED}\n\n| element by hand labels | tuning half | same, tuning | held-out half | same, held-out |\n"
    yield "| --- | --- | --- | --- | --- |\n"
    for stated in ("token", "partial", "whole", "multi", "all"):
        cells = []
        for half in (True, False):
            mine = {key[1:]: n for key, n in found.items() if key[0] is half and stated in (key[1], "all")}
            n, same = sum(mine.values()), sum(n for (one, other), n in mine.items() if one == other)
            cells += [str(n), f"{same / n:.0%}" if n else "–"]
        yield f"| {stated} | {' | '.join(cells)} |\n"


def implied_element(bug: Mapping[str, Any]) -> str | None:
    """Return the element that hand labels and the published number of chunks imply; none where they leave a choice."""
    named, actions_, chunks = set(bug["repairPatterns"]), set(bug["repairActions"]), bug["metrics"]["chunks"]
    clear = named - VAGUE - {"singleLine"}
    if named & {"copyPaste", "codeMove"} or actions_ & {"mdAdd", "mdRem"}:
        return "multi"
    if "singleLine" in named:
        if clear and clear <= WORDS and len(actions_) == 1:
            return "token"
        is_part = clear & PARTS and clear <= PARTS | WORDS | {"expLogicMod"}
        return "partial" if is_part or (actions_ and actions_ <= {"mcParAdd", "mcParRem", "mcParSwap"}) else None
    if chunks > 1 and not clear & (WRAPS | {"wrapsIfElse", "unwrapIfElse"}):
        return "multi"
    leaves = {"condBranIfAdd", "retBranchAdd", "exThrowsAdd", "objInstAdd", "mcAdd"}
    if (
        chunks == 1
        and len(clear) == 1
        and clear <= {"condBlockRetAdd", "condBlockExcAdd"}
        and "condBranIfAdd" in actions_ <= leaves
    ):
        return "whole"
    if len(clear) == 1 and clear <= WRAPS and actions_ <= {"condBranIfAdd", "exTryCatchAdd", "mcAdd"}:
        return "whole"
    return "multi" if len(STEPS & actions_) > 2 else None


def _count(names: Sequence[str], bugs: Sequence[tuple[set[str], set[str]]]) -> Counts:
    cells = Counter((name in ours, name in theirs) for ours, theirs in bugs for name in names)
    return Counts(both=cells[True, True], found_only=cells[True, False], missed=cells[False, True])


def _from_clone(bug: dict[str, Any], checkout: Path, clones: Path) -> list[FileChange] | None:
    """Return the files of a bug before and after, from the fixed revision and the patch; none where they cannot be had."""
    project, number = bug["project"], str(bug["bugId"])
    clone = clones / CLONES.get(project, project)
    if not clone.is_dir():
        return None
    folder = checkout / "framework/projects" / project
    tables = [folder / "active-bugs.csv", folder / "deprecated-bugs.csv"]
    rows = [row for path in tables if path.is_file() for _, row in read_csv(path, ("bug.id", "revision.id.fixed"))]
    revision = next((row["revision.id.fixed"] for row in rows if row["bug.id"] == number), "")
    repository, reverse = Repository(clone), reversed_patch(bug["diff"])
    fixed: dict[str, str] = {}
    try:
        listed = repository.files(revision)
        for patch in parse_patch(reverse):
            path = next((name for name in listed if f"/{name}".endswith(f"/{patch.old}")), "")
            fixed[patch.old or ""] = (repository.read(revision, path) or b"").decode("utf-8", "replace").replace("\r\n", "\n")
        buggy = apply_edits(edits_of_patch(reverse, fixed), fixed)
    except UserError:
        return None
    return [FileChange(language="java", path=path, before=text or "", after=fixed[path]) for path, text in buggy.items()]


def reversed_patch(text: str) -> str:
    """Return the patch that undoes another one."""
    lines, old = [], ""
    for line in text.split("\n"):
        if found := _HUNK.match(line):
            lines.append(f"@@ -{found[2]} +{found[1]} @@{found[3]}")
        elif line.startswith("--- "):
            old = line[4:]
        elif line.startswith("+++ "):
            lines += [f"--- {line[4:]}", f"+++ {old}"]
        else:
            lines.append({"+": "-", "-": "+"}.get(line[:1], line[:1]) + line[1:])
    return "\n".join(lines)


def _from_patch(patch: FilePatch, language: str = "java") -> FileChange:
    """Return the lines of a patch as if they were the file."""
    lines = [line for hunk in patch.hunks for line in hunk.lines]
    before, after = ("".join(f"{line[1:]}\n" for line in lines if line[0] != other) for other in "+-")
    return FileChange(language=language, path=patch.new or patch.old or "", before=before, after=after)


def defects4c(records: Path, fixes: Path) -> Iterator[str]:
    """Yield the tables of locations and categories."""
    patches = {
        entry["sha"]: {file["filename"]: file.get("patch", "") for file in entry["files"]} for _, entry in read_json_lines(fixes)
    }
    entries = [entry for path in sorted(records.rglob("bugs_list_new.json")) for entry in read_json(path)]
    ways: Counter[tuple[str, str, str]] = Counter()
    ranks: Counter[int] = Counter()
    first: dict[str, Counter[str]] = defaultdict(Counter)
    for entry in entries:
        path, about = entry["files"]["src"][0], entry["files"]["src0_location"]
        patch = parse_patch(f"--- a/{path}\n+++ b/{path}\n{patches[entry['commit_after']][path]}\n")[0]
        published = "line" if about["line_is_single"] else "hunk" if about["hunk_is_single"] else "function"
        counting = "later" if "patch_md5" in about else "first"
        ways[counting, published, extent_of_hunks(patch.hunks, "later" if counting == "later" else "first")] += 1
        if entry["type"]["type"] == "bug":
            change = _from_patch(patch, "c" if path.endswith(".c") else "cpp")
            found = [item.category for item in suggest([change.code])]
            stated = entry["type"]["id"]
            ranks[found.index(stated) + 1 if stated in found else 0] += 1
            first[stated][found[0] if found else "none"] += 1
    same = sum(n for (_, published, ours), n in ways.items() if published == ours)
    yield f"location: {same} of {len(entries)} records the same\n\n"
    yield "| counting | published | ours | records |\n| --- | --- | --- | --- |\n"
    yield from (f"| {' | '.join(way)} | {n} |\n" for way, n in sorted(ways.items()))
    n, most = ranks.total(), max(counts.total() for counts in first.values())
    yield f"\ncategory: {n} bugs; first suggestion {ranks[1] / n:.0%}, first two {(ranks[1] + ranks[2]) / n:.0%}, "
    yield f"first three {(ranks[1] + ranks[2] + ranks[3]) / n:.0%}; the most frequent category alone {most / n:.0%}\n\n"
    yield "| stated | bugs | first suggestion the same | most frequent other |\n| --- | --- | --- | --- |\n"
    for stated, counts in sorted(first.items()):
        others = [(name, k) for name, k in counts.most_common() if name != stated]
        told = f"{others[0][0]} {others[0][1]}" if others else "–"
        yield f"| {stated} | {counts.total()} | {counts[stated]} | {told} |\n"


def main() -> None:
    """Print the tables that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="table", required=True)
    for verb, places in (("dissection", ("labelled", "checkout", "clones")), ("defects4c", ("records", "patches"))):
        chosen = verbs.add_parser(verb)
        for place in places:
            chosen.add_argument(place, type=Path)
    given = vars(parser.parse_args())
    tables: dict[str, Callable[..., Iterator[str]]] = {"dissection": dissection, "defects4c": defects4c}
    table = tables[given.pop("table")]
    try:
        sys.stdout.writelines(table(*given.values()))
    except UserError as error:
        sys.exit(f"label_tables: {error}")


if __name__ == "__main__":
    main()
