"""Measure what rules are proposed against what people decided: patches of Liu et al. (ICSE 2020) on Defects4J. Nothing is executed.

python scripts/assessment_figures.py --patches patches.jsonl --rules rules.csv --defects4j framework/projects --clone Math=DIR ...
    --list adds one line per patch

Sources come from clones of the projects: the fixed file from its revision, the buggy one by the project's own reversed patch.
"""

import argparse
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from repairlab.core.diff import FilePatch, apply_edits, edits_of_patch, parse_patch
from repairlab.core.errors import UserError
from repairlab.core.foreign import field, read_csv, read_json_lines, read_text
from repairlab.core.record import record
from repairlab.study.assessment.ratings import RULES
from repairlab.study.assessment.rules import Programs, proposed_rules


@record
class Judged:
    """One patch: what people said, and what is proposed."""

    tool: str
    bug: str
    is_correct: bool
    rule: str
    """The rule that people named; empty where none is published."""
    proposed: tuple[str, ...]


@cache
def _shown(clone: Path, revision: str, path: str) -> str:
    done = subprocess.run(["git", "-C", str(clone), "show", f"{revision}:{path}"], capture_output=True, check=False)
    if done.returncode:
        raise UserError(f"{path} is not in {clone} at {revision}")
    return done.stdout.decode("iso-8859-1")


@cache
def _revisions(home: Path, project: str) -> Mapping[str, str]:
    rows = read_csv(home / project / "active-bugs.csv", ("bug.id",)) + read_csv(home / project / "deprecated-bugs.csv", ("bug.id",))
    return {row["bug.id"]: row["revision.id.fixed"] for _, row in rows}


def revision_of(home: Path, bug: str) -> str:
    """Return the revision with the developer's fix."""
    project, number = bug.split("-")
    return _revisions(home, project).get(number, "")


def programs(bug: str, patch: str, home: Path, clones: Mapping[str, Path]) -> Programs:
    """Return the files that a patch and the developer's fix change; UserError when they cannot be had."""
    project, number = bug.split("-")
    if project not in clones:
        raise UserError(f"no clone of {project}")
    revision = revision_of(home, bug)
    reverse = read_text(home / project / "patches" / f"{number}.src.patch", "iso-8859-1")
    files = parse_patch(mended(patch))
    fixed = {path: _shown(clones[project], revision, path) for path in (item.old for item in parse_patch(reverse)) if path}
    root = next(iter(fixed)).partition("/org/")[0].partition("/com/")[0] if fixed else ""
    paths = {item: _path(item, root) for item in files}
    others = {path: _shown(clones[project], revision, path) for path in paths.values() if path not in fixed}
    fixed |= others
    buggy = fixed | apply_edits(edits_of_patch(reverse, fixed), fixed)
    sources = {path: text or "" for path, text in buggy.items()}
    candidate = dict(sources)
    for item, path in paths.items():
        named = patch_text(item, path)
        candidate |= {name: text or "" for name, text in apply_edits(edits_of_patch(named, candidate), candidate).items()}
    return Programs(language="java", buggy=sources, fixed=fixed, candidate=candidate)


def mended(patch: str) -> str:
    """Return a patch as its tool should have written it: no key before it, and the blank lines at its end."""
    text = patch.replace("\r\n", "\n").removeprefix("PATCH_DIFF_ORIG=").replace("\nn+++ ", "\n+++ ")
    for _ in range(3):
        try:
            parse_patch(text)
        except UserError as error:
            if "cut short" not in str(error):
                break
            text = text.rstrip("\n") + "\n \n"
    return text


def patch_text(item: FilePatch, path: str) -> str:
    """Return the patch of one file, for the path that it has in the tree."""
    hunks = []
    for hunk in item.hunks:
        old, new = (sum(line[0] in signs for line in hunk.lines) for signs in (" -", " +"))
        hunks.append(f"@@ -{hunk.first},{old} +{hunk.first},{new} @@\n" + "".join(f"{line}\n" for line in hunk.lines))
    return f"--- a/{path}\n+++ b/{path}\n" + "".join(hunks)


def _path(item: FilePatch, root: str) -> str:
    """Return the path in the tree of a file that tools name by where it lay on their machine."""
    name = re.sub(r"(?<!\.)java$", ".java", item.old or item.new or "")
    place = name.rfind(f"{root}/") if root else -1
    return name[place:] if place >= 0 else name


def judged(arguments: argparse.Namespace, dropped: Counter[str]) -> Iterator[Judged]:
    """Yield each patch whose sources can be had."""
    clones = {name: Path(folder) for name, _, folder in (item.partition("=") for item in arguments.clone)}
    rules = {(row["tool"], row["bug"]): row["rule"] for _, row in read_csv(arguments.rules, ("rule", "tool", "bug"))}
    for where, entry in sorted(read_json_lines(arguments.patches), key=lambda item: str(item[1].get("bug"))):
        tool, bug = field(entry, "tool", str, where), field(entry, "bug", str, where)
        try:
            found = proposed_rules(programs(bug, field(entry, "patch", str, where), arguments.defects4j, clones))
        except UserError as error:
            text = str(error)
            reason = text if text.startswith("no clone") else "patch does not apply" if "hunk" in text else "no file or no diff"
            dropped[reason] += 1
            if arguments.list:
                sys.stderr.write(f"{tool} {bug}: {text[:200]}\n")
            continue
        is_correct = field(entry, "label", str, where) == "correct"
        yield Judged(
            tool=tool, bug=bug, is_correct=is_correct, rule=rules.get((tool, bug), "") if is_correct else "", proposed=found
        )


def share(part: int, whole: int) -> str:
    """Return a share with what it is made of."""
    return f"{100 * part / whole:.0f} % ({part} of {whole})" if whole else "–"


def table(found: Sequence[Judged]) -> Iterator[str]:
    """Yield a Markdown table: for each rule, how many of its candidates are correct, and for how many people name it."""
    yield "| proposed | patches | correct | named by people | precision | recall |"
    yield "| --- | --- | --- | --- | --- | --- |"
    named = [item for item in found if item.rule]
    for rule in RULES:
        hits = [item for item in found if rule in item.proposed]
        mine, wanted = [item for item in named if rule in item.proposed], [item for item in named if item.rule == rule]
        if hits or wanted:
            right, both = sum(item.is_correct for item in hits), sum(rule in item.proposed for item in wanted)
            cells = (len(hits), share(right, len(hits)), len(wanted), share(both, len(mine)), share(both, len(wanted)))
            yield f"| {rule} | {' | '.join(map(str, cells))} |"
    explained = [item for item in found if item.proposed]
    right, n = sum(item.is_correct for item in explained), sum(item.is_correct for item in found)
    yield f"| any rule | {len(explained)} | {share(right, len(explained))} | | | {share(right, n)} |"
    rest = [item for item in found if not item.proposed]
    yield f"| none | {len(rest)} | {share(sum(item.is_correct for item in rest), len(rest))} | | | |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--patches", type=Path, required=True)
    parser.add_argument("--rules", type=Path, required=True)
    parser.add_argument("--defects4j", type=Path, required=True, help="the folder framework/projects of Defects4J")
    parser.add_argument("--clone", action="append", default=[], help="PROJECT=FOLDER; may be repeated")
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    dropped: Counter[str] = Counter()
    found = []
    try:
        for item in judged(arguments, dropped):
            found.append(item)
            if arguments.list:
                said = ("correct" if item.is_correct else "plausible", item.rule or "-", " ".join(item.proposed) or "-")
                print(item.tool, item.bug, *said, flush=True)
    except UserError as error:
        sys.exit(str(error))
    n_bugs, n_correct = len({item.bug for item in found}), sum(item.is_correct for item in found)
    print(f"{len(found)} patches of {n_bugs} bugs, {n_correct} of them correct")
    print("left out: " + (", ".join(f"{n} {reason}" for reason, n in dropped.most_common()) or "none"))
    print("\n".join(table(found)))


if __name__ == "__main__":
    main()
