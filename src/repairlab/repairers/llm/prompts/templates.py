"""Prompt templates and the values that they may print, rendered section by section.

A template is Jinja text that lines such as `--- system ---` and `--- user ---` split into messages. It is split before it is
rendered, so nothing that a bug says can become a message of its own.
"""

import re
from collections.abc import Collection, Mapping
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from typing import Any, Literal, NoReturn, get_args

from jinja2 import StrictUndefined, TemplateError, TemplateSyntaxError, meta
from jinja2 import Template as Compiled
from jinja2.sandbox import ImmutableSandboxedEnvironment

from repairlab.core.errors import UserError, unknown
from repairlab.core.model import Message, Prompt
from repairlab.core.outcome import Verdict
from repairlab.core.problem import Problem
from repairlab.core.record import record
from repairlab.core.text import Span
from repairlab.languages.facts import facts, names, title
from repairlab.languages.language import language
from repairlab.repairers.llm.prompts.table import STRATEGIES
from repairlab.repairers.llm.settings import Comments

Section = Literal["system", "user", "prefix", "suffix"]
OWN = "the prompt file"
"""How messages name a user's template."""

_SECTIONS: dict[str, Section] = {name: name for name in get_args(Section)}
_BORDER = re.compile(r"^--- *([a-z]+) *---[ \t]*$", re.MULTILINE)
_COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)


class Absent(StrictUndefined):
    """A value that this bug lacks or that the policy hides: false in a condition, an error when printed."""

    __slots__ = ()

    def __bool__(self) -> bool:  # type: ignore[override]  # the base class raises, whatever is asked
        return False


@record
class _Part:
    section: Section
    line: int
    """Lines of the file above it."""
    text: str


class Template:
    """One prompt, as a strategy brings it or a user wrote it."""

    def __init__(self, source: str, *, file: str) -> None:
        """Read a template; `file` names it in messages."""
        self._file = file
        self._parts = _split(source, file)
        self._compiled: list[Compiled] = [self._compile(part) for part in self._parts]
        sections = [part.section for part in self._parts]
        for once in ("system", "prefix", "suffix"):
            if sections.count(once) > 1:
                raise UserError(f"{file} has {sections.count(once)} sections '{once}': one is enough")
        if "prefix" in sections and ("user" in sections or "system" in sections):
            raise UserError(f"{file} has a section 'prefix' beside 'user' or 'system': it is either a text to go on with or a chat")
        if "prefix" not in sections and "user" not in sections:
            raise UserError(f"{file} asks nothing: it needs a section '--- user ---' (chat) or '--- prefix ---' (completion)")
        if "suffix" in sections and "prefix" not in sections:
            raise UserError(f"{file} has a section 'suffix' without 'prefix'")
        self.is_chat = "user" in sections
        """Whether it makes messages rather than a text to continue."""
        self.n_turns = max(sections.count("user"), 1)
        """How often the model is asked: several user sections are several turns."""

    def check(self, known: Collection[str]) -> None:
        """Raise UserError for a variable that is not in `known`."""
        for name in sorted(self._variables):
            if name not in known:
                raise UserError(f"{self._file}: {unknown('variable', name, known)}")

    def uses(self, name: str) -> bool:
        """Whether it prints or tests a variable."""
        return name in self._variables

    @cached_property
    def _variables(self) -> set[str]:
        return {name for part in self._parts for name in meta.find_undeclared_variables(_environment().parse(part.text))}

    def opening(self, values: Mapping[str, Any], turn: int = 0) -> Prompt:
        """Return the first prompt: the system's and the user's first message (or that of a turn), or the text to continue."""
        texts = {part.section: index for index, part in reversed(list(enumerate(self._parts)))}
        if "prefix" in texts:
            suffix = self._render(texts["suffix"], values) if "suffix" in texts else None
            return Prompt(text=self._render(texts["prefix"], values), suffix=suffix)
        system = (Message(role="system", content=self._render(texts["system"], values)),) if "system" in texts else ()
        return Prompt(messages=(*system, Message(role="user", content=self.turn(turn, values))))

    def turn(self, number: int, values: Mapping[str, Any]) -> str:
        """Return the user's message of a turn; turns after the last section repeat it."""
        users = [index for index, part in enumerate(self._parts) if part.section == "user"]
        return self._render(users[min(number, len(users) - 1)], values)

    def _compile(self, part: _Part) -> Compiled:
        try:
            return _environment().from_string(part.text)
        except TemplateSyntaxError as error:
            raise UserError(f"{self._file}, line {part.line + error.lineno}: {error.message}") from None

    def _render(self, index: int, values: Mapping[str, Any]) -> str:
        try:
            text = self._compiled[index].render(values)
        except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError) as error:
            self._fail(index, error)
        if not text.strip() and self._parts[index].section != "suffix":
            raise UserError(f"{self._file}: the section '{self._parts[index].section}' is empty")
        return text

    def _fail(self, index: int, error: Exception) -> NoReturn:
        part = self._parts[index]
        raise UserError(f"{self._file}, section '{part.section}' at line {part.line}: {error}") from None


@cache
def packaged(name: str) -> Template:
    """Return the template that comes with a strategy."""
    return Template(source_of(name), file=f"prompts/{name}.jinja")


def source_of(name: str) -> str:
    """Return the text of a strategy's template, for a user to copy and change; strategies of other packages include theirs."""
    brought: str | None = getattr(STRATEGIES[name], "template", None)
    return (
        brought
        if brought is not None
        else (files("repairlab.repairers.llm") / "prompts" / f"{name}.jinja").read_text(encoding="utf-8")
    )


def fenced(text: str, tag: str = "") -> str:
    """Return a text as a fenced block whose fence does not occur in it.

    >>> print(fenced("a = 1", "python"))
    ```python
    a = 1
    ```
    """
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{tag}\n{text}{'' if text.endswith(chr(10)) else chr(10)}{fence}"


def commented(text: str, tag: str) -> str:
    r"""Return a text as comment lines of a language.

    >>> commented("a\n\nb", "java")
    '// a\n//\n// b'
    """
    mark = facts(tag).comments[0] if tag in names() else "//"
    return "\n".join(f"{mark} {line}".rstrip() for line in text.splitlines())


def absent(name: str, reason: str) -> Absent:
    """Return the value of a variable that this bug lacks."""
    return Absent(hint=f"'{name}' has no value: {reason}. Write {{% if {name} %}} … {{% endif %}} around it", name=name)


def _split(source: str, file: str) -> list[_Part]:
    source = source.replace("\r\n", "\n")
    borders = list(_BORDER.finditer(source))
    if not borders:
        return [_Part(section="user", line=0, text=source.removesuffix("\n"))]
    if _COMMENT.sub("", source[: borders[0].start()]).strip():
        raise UserError(f"{file} has text before its first section; only a {{# comment #}} may stand there")
    parts = []
    for border, following in zip(borders, [*borders[1:], None], strict=True):
        if border[1] not in _SECTIONS:
            raise UserError(f"{file}: {unknown('section', border[1], _SECTIONS)}")
        text = source[border.end() + 1 : following.start() if following else len(source)]
        parts.append(
            _Part(section=_SECTIONS[border[1]], line=source.count("\n", 0, border.end() + 1), text=text.removesuffix("\n"))
        )
    return parts


@cache
def _environment() -> ImmutableSandboxedEnvironment:
    made = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, autoescape=False
    )
    made.filters.update(fenced=fenced, commented=commented)
    return made


_VERDICTS = {
    Verdict.PLAUSIBLE: "Accepted",
    Verdict.WRONG: "Wrong Answer",
    Verdict.PRESENTATION: "Presentation Error",
    Verdict.CRASH: "Runtime Error",
    Verdict.TIMEOUT: "Time Limit Exceeded",
    Verdict.OUT_OF_MEMORY: "Memory Limit Exceeded",
    Verdict.OUTPUT_LIMIT: "Output Limit Exceeded",
    Verdict.UNCOMPILABLE: "Compilation Error",
    Verdict.UNAPPLICABLE: "Not Judged",
    Verdict.UNDECIDED: "Not Judged",
}

VARIABLES = (
    "title",
    "description",
    "language",
    "tag",
    "path",
    "name",
    "unit",
    "code",
    "source",
    "location",
    "error",
    "verdict",
    "verdict_text",
    "files",
)
"""Names of the values that every template may use; the documentation says what each is."""


@record
class View:
    """A problem with its code as prompts show it."""

    problem: Problem
    comments: Comments = "original"
    step: int = 0
    """The number of a question, in a strategy that asks several."""

    @property
    def code(self) -> str:
        """Return the target in full lines, its first line indented as in the file."""
        problem = self.problem
        if self.comments == "original":
            text = problem.target.text
        elif problem.target_without_comments != problem.target.text:
            text = problem.target_without_comments
        else:
            text = self._bare(problem.target.text)
        return _plain(indentation(problem) + text)

    @property
    def source(self) -> str:
        """Return the whole file."""
        return self.text(self.problem.source)

    def text(self, code: str) -> str:
        """Return any code of the problem's language as it is shown."""
        return _plain(code if self.comments == "original" else self._bare(code))

    def _bare(self, code: str) -> str:
        return without_comments(self.problem.language, code)

    def values(self) -> dict[str, Any]:
        """Return what every template may print."""
        problem = self.problem
        verdict = problem.submission_verdict
        no_verdict = f"bug {problem.id} has no submission verdict"
        return {
            "title": problem.title,
            "description": _plain(problem.description).strip("\n"),
            "language": title(problem.language),
            "tag": problem.language,
            "path": problem.path,
            "name": problem.target.name or absent("name", f"bug {problem.id} is about a whole file"),
            "unit": "file" if problem.target.name is None else "function",
            "code": self.code,
            "source": self.source,
            "location": self._location(),
            "error": _plain(problem.error) if problem.error else absent("error", f"no error message of bug {problem.id} is shown"),
            "verdict": verdict.code if verdict else absent("verdict", no_verdict),
            "verdict_text": _VERDICTS[verdict] if verdict else absent("verdict_text", no_verdict),
            "files": [{"path": file.path, "text": _plain(file.text)} for file in problem.context],
        }

    def _location(self) -> Any:
        places = self.problem.location
        if not places:
            return absent("location", f"no location of bug {self.problem.id} is shown")
        return [{"path": lines.path, "first": lines.first, "last": lines.last} for lines in places]


@lru_cache(maxsize=4096)
def without_comments(name: str, code: str) -> str:
    """Return code of a language without its comments."""
    return language(name).syntax.strip_comments(code)


def indentation(problem: Problem) -> str:
    """Return the white space before the target's first line; None if anything else precedes it on that line."""
    start = problem.target.span.start
    before = problem.source[problem.source.rfind("\n", 0, start) + 1 : start]
    return before if not before.strip() else ""


def cut_out(problem: Problem, hole: Span) -> tuple[str, str]:
    """Return the target before and after a hole in it, in full lines."""
    span = problem.target.span
    return indentation(problem) + problem.source[span.start : hole.start], problem.source[hole.end : span.end]


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")
