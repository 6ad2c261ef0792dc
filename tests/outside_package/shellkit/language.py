"""Shell scripts as a language of repairlab: programs that `sh` runs."""

import random
import re
from collections.abc import Sequence
from functools import cached_property

from repairlab.core.errors import UserError
from repairlab.core.execution import Command, Execution
from repairlab.core.recipe import Build, Framework, Test
from repairlab.core.text import Span
from repairlab.languages.counter import TestBody
from repairlab.languages.facts import Facts
from repairlab.languages.language import Batch, Function, Report, Syntax, Token, Toolchain, Tools

_TOKEN = re.compile(
    r"""'[^'\n]*'|"(?:\\.|[^"\\\n])*"|(?P<comment>(?:(?<=\s)|^)\#[^\n]*)|\w+|[^\s\w]|(?P<newline>\n)""", re.MULTILINE
)
_FUNCTION = re.compile(r"^(\w+)\(\)\s*(\{\n.*?^\})", re.MULTILINE | re.DOTALL)


class Shell:
    """Shell scripts, run by sh."""

    facts = Facts(
        name="shell",
        title="Shell",
        extensions=(".sh",),
        file="main.sh",
        self_test="read -r line\nprintf '%s\\n' \"$line\"\n",
        build=Build(),
        tools={"none": 0},
        frameworks=("stdio",),
        error_line=r"^.*[Ss]yntax error.*",
        fences=("sh", "bash", "shell"),
        comments=("#",),
        grammar="",
    )

    def __init__(self, tools: Tools) -> None:
        del tools
        self.syntax: Syntax = ShellSyntax()

    @cached_property
    def toolchain(self) -> Toolchain:
        """Return the tool chain."""
        return ShellToolchain()

    def test_bodies(self, source: str, framework: Framework, draw: random.Random) -> list[TestBody]:
        """Return nothing: scripts are judged by what they print."""
        del source, framework, draw
        return []


class ShellSyntax:
    """Reading scripts, as far as repairs need it."""

    def functions(self, source: str) -> list[Function]:
        """Return functions whose closing brace stands at the beginning of a line."""
        return [
            Function(
                name=found[1],
                qualified=found[1],
                span=Span(start=found.start(), end=found.end()),
                body=Span(start=found.start(2), end=found.end(2)),
                parameters=(),
            )
            for found in _FUNCTION.finditer(source)
        ]

    def strip_comments(self, source: str) -> str:
        """Return the text without comments; the first line may be a shebang, which stays."""
        return _TOKEN.sub(lambda found: found[0] if found["comment"] is None or found[0].startswith("#!") else "", source)

    def tokens(self, source: str) -> list[Token]:
        """Return words, strings, signs and ends of lines."""
        return [
            Token(kind="newline" if found["newline"] else "name", text=found[0], span=Span(start=found.start(), end=found.end()))
            for found in _TOKEN.finditer(source)
            if found["comment"] is None
        ]

    def normal_form(self, source: str) -> str:
        """Return the lines without comments, trailing spaces and blank lines: spaces within a line can mean something."""
        return "\n".join(filter(None, (line.rstrip() for line in self.strip_comments(source).splitlines())))

    def has_errors(self, source: str) -> bool:
        """Return whether a brace is missing."""
        texts = [token.text for token in self.tokens(source)]
        return texts.count("{") != texts.count("}")

    def sees_text(self, source: str, *, of_others: bool = False) -> bool:
        """Return whether a script may read a script."""
        return "$0" in source or of_others


class ShellToolchain:
    """Checks scripts with `sh -n` and runs them with `sh`."""

    def build(self, build: Build, test: Test, files: Sequence[str]) -> tuple[Command, ...]:
        """Return the commands that parse each script."""
        del build, test
        return tuple(Command(argv=("/bin/sh", "-n", path)) for path in files if path.endswith(".sh"))

    def program(self, build: Build, test: Test) -> Command:
        """Return the command that runs the script."""
        del build
        return Command(argv=("/bin/sh", test.program or "main.sh"), env=test.env)

    def batches(self, build: Build, test: Test, tests: Sequence[str], *, stop: bool) -> tuple[Batch, ...]:
        """Refuse: there are no test suites of scripts here."""
        del build, tests, stop
        raise UserError(f"scripts have no tests of the framework {test.framework}")

    def report(self, test: Test, batch: Batch, execution: Execution) -> Report:
        """Return nothing, for nothing was run."""
        del test, batch, execution
        return Report(results=())

    def out_of_memory(self, execution: Execution) -> bool:
        """Return whether sh said so."""
        return b"Cannot allocate memory" in execution.stderr

    def versions(self) -> dict[str, str]:
        """Return what is used; sh does not tell its version."""
        return {"sh": "/bin/sh"}
