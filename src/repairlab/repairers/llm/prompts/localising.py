"""The strategy `localise`: from the tree to files, to functions, to edits, one question per step (after Agentless).

What a step shows is cut to what the model can read; parts that share the fewest and commonest words with the issue are dropped
first.
"""

import dataclasses
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from repairlab.core.problem import Problem, SourceFile, Target
from repairlab.core.text import Lines, Span, line_of, line_span
from repairlab.languages.facts import by_extension
from repairlab.languages.language import Function, language
from repairlab.repairers.llm.answers.reading import Wanted
from repairlab.repairers.llm.client.model import Unanswerable
from repairlab.repairers.llm.prompts.strategies import ListedPart, Question, Strategy
from repairlab.repairers.llm.prompts.templates import View, fenced

_MOST = 5
"""Files, and functions, that an answer may choose."""
_WORD = re.compile(r"[A-Za-z]{3,}")
_HUMP = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_NAME = re.compile(r"[\w$~.]+")
_PATH = re.compile(r"[\w@+./-]*[\w@+/-]")


def _needs_no_place(problem: Problem) -> str | None:
    return f"the place of {problem.id} is shown; localise looks for it: --localisation none" if problem.path else None


def _ask(view: View) -> Question:
    """Ask for files, functions or edits, depending on the step."""
    parts = tuple((_paths, _functions, _code)[view.step](view))
    return Question(wanted=Wanted(shape="edit"), parts=parts, notes=_chosen(view.problem))


def _paths(view: View) -> Iterator[ListedPart]:
    for file in view.problem.context:
        yield ListedPart(text=file.path, about=file.text)


def _functions(view: View) -> Iterator[ListedPart]:
    for file in view.problem.context:
        found = _functions_of(file)
        for function in found:
            yield ListedPart(text=f"{file.path}: {function.signature}", about=function.span.of(file.text))
        if not found:
            yield ListedPart(text=f"{file.path}: (the whole file)", about=file.text)


def _code(view: View) -> Iterator[ListedPart]:
    texts = view.problem.files
    for lines in view.problem.location or ():
        code = line_span(texts[lines.path], lines.first, lines.last).of(texts[lines.path])
        text = f"{lines.path}, lines {lines.first} to {lines.last}:\n\n{fenced(view.text(code), view.problem.language)}"
        yield ListedPart(text=text, about=code)


def _chosen(problem: Problem) -> tuple[tuple[str, str], ...]:
    places = " ".join(f"{lines.path}:{lines.first}-{lines.last}" for lines in problem.location or ())
    return (("places", places),) if places else ()


def _narrow(problem: Problem, answer: str, step: int) -> Problem:
    """Return the problem restricted to the files, or at the functions, that an answer names."""
    if step == 1:
        files = _named_files(answer, problem.context)
        if not files:
            raise Unanswerable("the answer names no file of the project")
        return dataclasses.replace(problem, context=tuple(files))
    places: list[tuple[SourceFile, Function | None]] = [*_named_functions(answer, problem)]
    places = places or [(file, None) for file in problem.context]
    (first, function), *_ = places
    span = function.span if function else Span(start=0, end=len(first.text))
    target = Target(name=function.qualified if function else None, span=span, text=span.of(first.text))
    return dataclasses.replace(
        problem,
        path=first.path,
        source=first.text,
        target=target,
        target_without_comments=target.text,
        location=tuple(_lines(file, chosen) for file, chosen in places),
        context=tuple(file for file in problem.context if file.path != first.path),
    )


def _lines(file: SourceFile, function: Function | None) -> Lines:
    span = function.span if function else Span(start=0, end=len(file.text))
    return Lines(path=file.path, first=line_of(file.text, span.start), last=line_of(file.text, max(span.start, span.end - 1)))


def _named_files(answer: str, files: Sequence[SourceFile]) -> list[SourceFile]:
    """Return the files that an answer names, by whole path or its end, in order of mention."""
    found: dict[str, SourceFile] = {}
    by_end: dict[str, list[SourceFile]] = {}
    for file in files:
        parts = file.path.split("/")
        for number in range(len(parts)):
            by_end.setdefault("/".join(parts[number:]), []).append(file)
    for name in (name for line in answer.splitlines() for name in (line.strip(" `*-"), *_PATH.findall(line))):
        bare = name.removeprefix("./").removeprefix("a/")
        found |= {file.path: file for file in by_end.get(bare, ())}
    return list(found.values())[:_MOST]


def _named_functions(answer: str, problem: Problem) -> Iterator[tuple[SourceFile, Function]]:
    """Yield the functions that an answer's lines name, in the file that the line names, if it does."""
    seen: set[tuple[str, int]] = set()
    for line in answer.splitlines():
        names = set(_NAME.findall(line))
        files = _named_files(line.split(":", 1)[0], problem.context) or problem.context
        named = [(file, function) for file in files for function in _functions_of(file) if _names(names, function)]
        exact = [pair for pair in named if pair[1].signature in line] or [pair for pair in named if pair[1].qualified in names]
        for file, function in exact or named:
            if (file.path, function.span.start) not in seen and len(seen) < _MOST:
                seen.add((file.path, function.span.start))
                yield file, function


def _names(names: set[str], function: Function) -> bool:
    return function.name in names or function.qualified in names or any(name.endswith(f".{function.name}") for name in names)


def _functions_of(file: SourceFile) -> list[Function]:
    name = by_extension().get(file.path[file.path.rfind(".") :])
    return language(name).syntax.functions(file.text) if name else []


def likeliest(parts: Sequence[ListedPart], issue: str) -> list[int]:
    """Return the places of parts in their list, those first that share the most and the rarest words with an issue (BM25)."""
    texts = [Counter(_words(f"{part.text}\n{part.about}")) for part in parts]
    sizes = [sum(text.values()) for text in texts]
    usual = sum(sizes) / max(len(sizes), 1) or 1.0
    weights = [0.0] * len(parts)
    for word in sorted(set(_words(issue))):
        having = [index for index, text in enumerate(texts) if word in text]
        rare = math.log(1 + (len(parts) - len(having) + 0.5) / (len(having) + 0.5))
        for index in having:
            often = texts[index][word]
            weights[index] += rare * often / (often + 0.3 + 0.9 * sizes[index] / usual)
    return sorted(range(len(parts)), key=lambda index: (-weights[index], index))


def _words(text: str) -> Iterator[str]:
    for word in _WORD.findall(text):
        yield word.lower()
        humps = _HUMP.findall(word)
        if len(humps) > 1:
            yield from (hump.lower() for hump in humps if len(hump) > 2)


LOCALISE = Strategy(name="localise", needs=_needs_no_place, question=_ask, variables=("parts", "left_out"), narrow=_narrow)
"""Files from the tree, functions from the files, edits of the functions: three questions for each candidate (after Agentless)."""
