"""With `--localisation none`, nothing but the tree and the issue is shown: wherever the bug is, every byte is the same."""

import dataclasses
import random
import re
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.problem import SourceFile, Target, Visibility, shown
from repairlab.core.text import Lines, Span
from repairlab.repairers.command.repairer import environment_variables, issue_text
from repairlab.repairers.llm.factory import preview
from repairlab.repairers.llm.settings import LlmSettings
from repairlab.runs.workspace import WorkspaceMaker
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.machine import Machine
from tests.runs.test_commanding import Start

OPEN = Visibility(localisation="none")
SETTINGS = LlmSettings(model="none", strategy="localise")


def moved(bug: Bug, to: SourceFile) -> Bug:
    """Return the same tree with its bug in another file."""
    problem = bug.problem
    others = (SourceFile(path=problem.path, text=problem.source), *(file for file in problem.context if file != to))
    whole = Target(name=None, span=Span(start=0, end=len(to.text)), text=to.text)
    elsewhere = dataclasses.replace(
        problem,
        path=to.path,
        source=to.text,
        target=whole,
        target_without_comments=to.text,
        location=(Lines(path=to.path, first=1, last=1),),
        context=others,
    )
    return dataclasses.replace(bug, problem=elsewhere)


def with_neighbours() -> list[Bug]:
    return [bug for bug in open_benchmark("starter") if len(bug.problem.context)]


def test_prompts_and_problems_are_the_same_wherever_the_bug_is() -> None:
    bugs = with_neighbours()
    assert len(bugs) > 20
    for bug in bugs:
        there = moved(bug, random.Random(bug.id).choice(tuple(bug.problem.context)))
        one, other = shown(bug.problem, OPEN), shown(there.problem, OPEN)
        assert tuple(one.context) == tuple(other.context)
        assert dataclasses.replace(one, context=()) == dataclasses.replace(other, context=())
        assert issue_text(one) == issue_text(other)
        assert environment_variables(one) == environment_variables(other)
        if not one.title:
            continue
        assert preview(SETTINGS, one, seed=0, examples=()) == preview(SETTINGS, other, seed=0, examples=())


@pytest.mark.parametrize("language", ["python", "javascript", "java", "c", "cpp", "go"])
def test_workspaces_are_the_same_wherever_the_bug_is(language: str, sandbox: Sandbox, tmp_path: Path) -> None:
    bug = next(bug for bug in with_neighbours() if bug.problem.language == language)
    seen = []
    for number, each in enumerate((bug, moved(bug, bug.problem.context[-1]))):
        maker = WorkspaceMaker(each, OPEN, sandbox, tmp_path / str(number))
        (tmp_path / str(number)).mkdir()
        maker.make(shown(each.problem, OPEN))
        with maker.workspace() as folder:
            seen.append({str(path.relative_to(folder)): facts(path) for path in folder.rglob("*") if path.name != "index"})
    assert seen[0] == seen[1]
    assert bug.problem.path in seen[0]


LOOK = r"""
env | sort; pwd; id; ulimit -a; cat ISSUE.md check; ls -U . */ | cat
find . -path ./.git -prune -o -path './?*' ! -path ./.repairlab -printf '%p %y %m %s %T@ %n %U\n'
find . -type f -not -path './.git/*' -exec md5sum {} +
git log --format='%H %an %ae %ad %s'; git status --short; git ls-files -s; git count-objects -v; git reflog | cat; git remote -v
cat .git/config; find .git -type f ! -name index -exec md5sum {} +
cut -d' ' -f5 /proc/self/mountinfo | grep -v '^/proc' | sort; tr '\0' '\n' < /proc/self/cmdline; ls -A /tmp "$HOME" /
./check; echo $?
"""


@pytest.mark.parametrize("language", ["python", "javascript", "java", "c", "cpp", "go"])
def test_a_program_learns_nothing_of_the_place(
    language: str, sandbox: Sandbox, networked: None, machine: Machine, tmp_path: Path
) -> None:
    """Whatever a program can look at in its sandbox is the same byte for byte, wherever the bug is."""
    bug = next(bug for bug in with_neighbours() if bug.problem.language == language)
    seen = []
    for number, each in enumerate((bug, moved(bug, bug.problem.context[-1]))):
        start = Start(each, sandbox, machine, tmp_path / str(number))
        (made,) = start(LOOK, visibility=OPEN)
        seen.append(re.sub(r"\b6[45]\d{3}\b", "USER", start.log(made)))  # which user of 1,500 is free is chance
    assert len(seen[0]) > 2000
    assert seen[0] == seen[1]


def facts(path: Path) -> tuple[int, float, bytes]:
    """Return mode, date and content; git's own files have the dates of their making."""
    found = path.stat()
    changed = 0 if ".git" in path.parts or path.is_dir() else found.st_mtime
    return found.st_mode, changed, path.read_bytes() if path.is_file() else b""
