"""FixEval: pairs of submissions to AtCoder as lists of tokens, turned back into programs."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from repairlab.building.importers.codenet import ListedProblem, labelled, letter_of, letters, verdict_of
from repairlab.building.importers.importer import Dropped, Import, ImportedBug, Settings, chosen, need_sources
from repairlab.building.importers.judge_tests import JudgeTests
from repairlab.building.importers.small_programs import JudgedProgram, checker_of, judged_bug, limits_of, pick_language, safe_id
from repairlab.core.amounts import count
from repairlab.core.errors import UserError
from repairlab.core.foreign import field, read_csv, read_json_lines

_LIMITS = {"python": (15.0, 4096), "java": (10.0, 2000)}
"""The limits of FixEval's own evaluation, in seconds and MB; it does not use the problems' limits."""
_CHECKER = "float-1e-6"
_ID = re.compile(r"(p\d+)_(s\d+)")
_STRING = re.compile(r"""^[A-Za-z]{0,2}(['"])""")
_MARKS = {"STRNEWLINE": "\n", "TABSYMBOL": "\t"}


def read(sources: Sequence[Path], settings: Settings) -> Import:
    """Look at a split file, the test cases and, if given, the list of problems."""
    names = ("a split file of FixEval", "the folder of test cases", "CodeNet's problem_list.csv")
    given = need_sources(list(sources), names, optional=1)
    tests = JudgeTests(given[1])
    titles = {row["id"]: row["name"] for _, row in read_csv(given[2], ("id", "name"))} if len(given) > 2 else {}
    entries = {}
    for where, entry in read_json_lines(given[0]):
        found = _ID.fullmatch(field(entry, "src_id", str, where))
        if not found:
            raise UserError(f"{where}: the field 'src_id' should look like p02684_s143538222, not {entry['src_id']!r}")
        entries[safe_id(found[1], found[2])] = (where, found[1], entry)
    asked = pick_language(settings, _LIMITS)
    ids = chosen(list(entries), settings)
    return Import(
        name="fixeval",
        version="1.0.0",
        licence="MIT",
        description=f"FixEval: {count(len(ids), 'pair')} of {given[0].name}",
        n_bugs=len(ids),
        bugs=_bugs({name: entries[name] for name in ids}, tests, titles, settings, asked),
    )


def _bugs(
    entries: Mapping[str, tuple[str, str, dict[str, Any]]],
    tests: JudgeTests,
    titles: Mapping[str, str],
    settings: Settings,
    asked: str | None,
) -> Iterator[ImportedBug | Dropped]:
    known = letters(titles)
    for name, (where, problem, entry) in entries.items():
        try:
            source, target = tokens_of(entry, "src", where), tokens_of(entry, "tgt", where)
            verdict = verdict_of(field(entry, "src_verdict", str, where), where)
            if verdict is None:
                raise UserError(f"{entry['src_verdict']} is a state of the judge, not of the program")
            language = asked or fixeval_language(source)
            cases = tests.cases(problem, titles.get(problem, ""))
            bug = JudgedProgram(
                id=name,
                language=language,
                buggy=program_of(language, source),
                fixed=program_of(language, target),
                cases=cases,
                title=f"{titles.get(problem, problem)}: the program is not accepted",
                verdict=verdict,
                test=checker_of(settings, cases, _CHECKER),
                limits=limits_of(*_LIMITS[language]),
                facts={"origin": {"repository": "mahimanzum/FixEval", "licence": "MIT"}},
            )
            listed = ListedProblem(id=problem, name=titles.get(problem, ""), time_s=None, memory_mb=None, letter=known.get(problem))
            yield judged_bug(labelled(bug, letter_of(tests, listed)))
        except UserError as error:
            yield Dropped(id=name, reason=str(error))


def fixeval_language(tokens: Sequence[str]) -> str:
    """Return the language of a list of tokens; only Python's have layout tokens."""
    return "python" if "NEW_LINE" in tokens else "java"


def tokens_of(entry: dict[str, Any], name: str, where: str) -> list[str]:
    """Return one of the programs of an entry."""
    tokens = field(entry, name, list, where)
    if not all(isinstance(token, str) for token in tokens):
        raise UserError(f"{where}: the field {name!r} should be a list of strings")
    return tokens


def program_of(language: str, tokens: Sequence[str]) -> str:
    r"""Return the program that was split into tokens; white space within strings is marked by ▁.

    >>> program_of("python", ["if", "x", ":", "NEW_LINE", "INDENT", "print", "(", "' a ▁ b '", ")", "NEW_LINE", "DEDENT"])
    "if x :\n    print ( 'a b' )\n"
    """
    words = [_string(token) if _STRING.match(token) else token for token in tokens]
    if language == "java":
        return "\n".join(_java_lines(words)) + "\n"
    lines: list[str] = []
    line: list[str] = []
    depth = 0
    for word in words:
        if word == "INDENT":
            depth += 1
        elif word == "DEDENT":
            depth -= 1
        elif word in ("NEW_LINE", "ENDMARKER"):
            lines += ["    " * depth + " ".join(line)] if line else []
            line = []
        else:
            line.append(word)
    if line:
        lines.append("    " * depth + " ".join(line))
    # The tokenizer predates the operator := and split it.
    return re.sub(r"(?<=\w) : = ", " := ", "\n".join(lines)) + "\n"


def _java_lines(words: Sequence[str]) -> Iterator[str]:
    line: list[str] = []
    for word in words:
        line.append(word)
        if word in ("{", "}", ";"):
            yield " ".join(line)
            line = []
    yield " ".join(line)


def _string(token: str) -> str:
    """Return a string as it was written: the data separates its parts with blanks and marks its own blanks."""
    for mark, char in _MARKS.items():
        token = token.replace(f" {mark} ", char).replace(mark, char)
    return token.replace(" ", "").replace("▁", " ")
