"""Prompt, answer, reading and edit together: a model that knows the fix repairs every bug of `starter` with every strategy."""

import difflib
from functools import cache

import pytest

from repairlab.benchmarks.catalog import Benchmark, open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.diff import apply_edits
from repairlab.core.problem import Problem, shown
from repairlab.languages.language import language
from repairlab.repairers.llm.client.model import ScriptedModel
from repairlab.repairers.llm.prompts.prompter import Prompter
from repairlab.repairers.llm.prompts.strategies import Question
from repairlab.repairers.llm.prompts.table import names
from repairlab.repairers.llm.prompts.templates import indentation
from repairlab.repairers.llm.repairer import Llm
from repairlab.repairers.llm.settings import LlmSettings
from tests.repairers.llm.bugs import policy


@cache
def starter() -> Benchmark:
    return open_benchmark("starter")


def fixed_source(bug: Bug) -> str:
    problem = bug.problem
    return apply_edits(bug.oracle.reference, {problem.path: problem.source})[problem.path] or ""


def changed(problem: Problem, fixed: str, start: int, end: int) -> str | None:
    """Return what the fix makes of some characters of the source; none when it changes others, too."""
    rest = problem.source[end:]
    is_alone = fixed.startswith(problem.source[:start]) and fixed.endswith(rest)
    return fixed[start : len(fixed) - len(rest)] if is_alone else None


def perfect(question: Question, problem: Problem, fixed: str) -> str | None:
    """Return the right answer to a question; none where the fix lies outside of what is asked for."""
    span, hole = problem.target.span, question.wanted.hole
    target = changed(problem, fixed, span.start, span.end)
    match question.wanted.shape:
        case "file":
            return f"Here is the file.\n\n```{problem.language}\n{fixed}\n```\n"
        case "infill":
            assert hole is not None
            filled = changed(problem, fixed, hole.start, hole.end)
            return None if filled is None else f"```{problem.language}\n{filled}\n```"
        case "completion":
            return _completion(question, target)
        case "edit":
            return None if target is None else _blocks(indentation(problem) + problem.target.text, indentation(problem) + target)
    return None if target is None else f"The fix:\n\n```{problem.language}\n{indentation(problem)}{target}\n```"


def _completion(question: Question, target: str | None) -> str | None:
    """Return the rest of the function as a server gives it: up to the first stop text."""
    given = question.wanted.given
    if target is None or not target.startswith(given):
        return None
    rest = f"{target[len(given) :]}\n\n"
    return rest[: min([rest.index(stop) for stop in question.stop if stop in rest], default=len(rest))]


def _blocks(old: str, new: str) -> str:
    """Return all changed lines, with three lines around them, as one search/replace block."""
    before, after = old.split("\n"), new.split("\n")
    codes = [code for code in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes() if code[0] != "equal"]
    margin = min(3, codes[0][1])
    search = before[codes[0][1] - margin : codes[-1][2] + 3]
    replace = after[codes[0][3] - margin : codes[-1][4] + 3]
    return "<<<<<<< SEARCH\n" + "\n".join(search) + "\n=======\n" + "\n".join(replace) + "\n>>>>>>> REPLACE"


@pytest.mark.parametrize("name", names())
def test_a_right_answer_is_a_right_candidate(name: str) -> None:
    settings = LlmSettings(model="scripted", strategy=name)
    prompter = Prompter(settings, ScriptedModel(()), seed=0)
    n_right, wrong = 0, []
    for bug in starter():
        problem = shown(bug.problem, policy(name))
        if {edit.path for edit in bug.oracle.reference} != {bug.problem.path} or prompter.needs(problem):
            continue
        fixed = fixed_source(bug)
        answer = perfect(prompter.ask(problem).question, bug.problem, fixed)
        if answer is None:
            continue
        if name == "localise":  # the same words answer all three questions
            answer = f"{bug.problem.path}: {bug.problem.target.name}\n{answer}"
        candidate = next(Llm(settings, ScriptedModel([answer]), n=1, seed=0).propose(problem, ()))
        made = apply_edits(candidate.edits, problem.files).get(bug.problem.path)
        normal_form = language(problem.language).syntax.normal_form
        if made is not None and (made == fixed or normal_form(made) == normal_form(fixed)):
            n_right += 1
        else:
            wrong.append((bug.id, candidate.problem))
    assert wrong == []
    assert n_right > (20 if name == "verdict" else 45)
