"""Promises of parts that run programs: languages, sandboxes, and importers, whose bugs fail unpatched and pass with their fix."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.benchmarks.health import Health
from repairlab.building.check import check_bugs
from repairlab.building.importers.importer import Settings
from repairlab.building.importers.table import IMPORTERS
from repairlab.building.importing import import_benchmark
from repairlab.cli.contracts.selftest import Check, NotTried, SelfTestContext, attempt
from repairlab.core.execution import Command, Ending
from repairlab.languages.language import Language, language, language_of_path
from repairlab.sandbox.breakout import try_to_break_out
from repairlab.sandbox.cgroups import find_control_groups
from repairlab.sandbox.doctor import TRIALS, SandboxCheck
from repairlab.sandbox.sandbox import Sandbox
from repairlab.sandbox.table import SANDBOXES
from repairlab.validation.preflight import self_test

HOSTILE = ("", "\n\n\n", "\0\x07", "\"unclosed '", "(" * 500, ")}]" * 50, "é\ud800🙂\r\n\tx", "/* # -- <!-- `", "x" * 20_000)
"""Texts on which no reader of sources may fail."""


def language_checks(name: str, context: SelfTestContext) -> Iterator[Check]:
    """Try a language."""
    yield attempt("it knows its name and its files", lambda: _knows_itself(language(name), name))
    yield attempt("it reads its own program", lambda: _reads(language(name)))
    yield attempt("it reads any text", lambda: _survives(language(name)))
    yield attempt("its tools are there", lambda: _has_tools(language(name)))
    yield attempt("its program builds and runs in the sandbox", lambda: self_test(name, context.machine.open_sandbox()))


def _knows_itself(made: Language, name: str) -> str:
    if made.facts.name != name:
        return f"it calls itself {made.facts.name!r}, and is registered as {name!r}"
    if not made.facts.extensions or not all(extension.startswith(".") for extension in made.facts.extensions):
        return f"its extensions are {made.facts.extensions!r}: write them with the dot"
    taken = {extension: language_of_path(f"a/b{extension}") for extension in made.facts.extensions}
    others = [f"{extension} is of {owner}" for extension, owner in taken.items() if owner != name]
    return "; ".join(others)


def _reads(made: Language) -> str:
    source, syntax = made.facts.self_test, made.syntax
    if syntax.has_errors(source):
        return "it finds syntax errors in its own program"
    if syntax.strip_comments(source) != source:
        return "it strips something of its own program, which should have no comments"
    if syntax.normal_form(source) != syntax.normal_form(source + "\n\n"):
        return "blank lines at the end change the normal form"
    if not syntax.tokens(source):
        return "it finds no tokens in its own program"
    return _spans(made, source)


def _survives(made: Language) -> str:
    for text in (*HOSTILE, made.facts.self_test[: len(made.facts.self_test) // 2], made.facts.self_test.replace("\n", "\r\n")):
        syntax = made.syntax
        syntax.has_errors(text)
        syntax.normal_form(text)
        syntax.sees_text(text)
        syntax.tokens(text)
        stripped = syntax.strip_comments(text)
        if syntax.strip_comments(stripped) != stripped:
            return f"comments are left after stripping {text[:40]!r}"
        if problem := _spans(made, text):
            return problem
    return ""


def _spans(made: Language, source: str) -> str:
    for function in made.syntax.functions(source):
        if not 0 <= function.span.start <= function.body.start <= function.body.end <= function.span.end <= len(source):
            return f"the function {function.name} lies outside of {source[:40]!r}, or its body outside of itself"
    return ""


def _has_tools(made: Language) -> str:
    return "" if made.toolchain.versions() else "its tool chain names no tool, and so no change of tools is noticed"


def sandbox_checks(name: str, context: SelfTestContext) -> Iterator[Check]:
    """Try a sandbox."""
    opened: list[Sandbox] = []

    def opens() -> None:
        opened.append(SANDBOXES[name](context.machine.cache, groups=find_control_groups()))

    yield attempt("it opens here", opens)
    for sandbox in opened:
        yield attempt("nothing breaks out of it", lambda: _holds(sandbox, context))  # noqa: B023  # called at once
        yield attempt("exit codes, output and signals come back", lambda: _tells(sandbox, context))  # noqa: B023
        for limit in TRIALS:
            yield attempt(limit.name, lambda: _limits(limit, sandbox, context))  # noqa: B023


def _holds(sandbox: Sandbox, context: SelfTestContext) -> str:
    tried = try_to_break_out(sandbox, context.machine.cache)
    return "; ".join(f"{item.name}: {item.broken}" for item in tried if item.broken)


def _tells(sandbox: Sandbox, context: SelfTestContext) -> str:
    script = "cat; printf e >&2; printf report >&3; exit 7"
    seen = sandbox.run(Command(argv=("sh", "-c", script), stdin=b"o\0\n"), context.folder)
    if (seen.ending, seen.exit_code, seen.stdout, seen.stderr, seen.report) != (Ending.EXITED, 7, b"o\0\n", b"e", b"report"):
        return f"{script!r} gave {seen}"
    killed = sandbox.run(Command(argv=("sh", "-c", "kill -9 $$")), context.folder)
    return "" if killed.ending is Ending.SIGNALLED and killed.signal == 9 else f"a killed command gave {killed}"


def _limits(limit: SandboxCheck, sandbox: Sandbox, context: SelfTestContext) -> str:
    seen = sandbox.run(Command(argv=("sh", "-c", limit.script), limits=limit.limits), context.folder)
    return "" if limit.held(seen) else f"it does not hold: {seen.ending}"


_LIMIT = 5
"""Bugs that are imported."""


def importer_checks(name: str, context: SelfTestContext) -> Iterator[Check]:
    """Try an importer on the sources that were given, or on an example that it writes itself (its attribute `example`)."""
    folder = context.folder / "imported"
    yield attempt("it imports bugs", lambda: _imports(name, context, folder))
    yield attempt("its bugs fail unpatched and pass with their fix", lambda: _is_healthy(context, folder))


def _imports(name: str, context: SelfTestContext, folder: Path) -> str:
    example: Callable[[Path], Sequence[Path]] | None = getattr(IMPORTERS[name], "example", None)
    if not context.sources and example is None:
        raise NotTried("it brings no example: give a source behind its name")
    sources = context.sources or (example(context.folder / "source") if example else ())
    made = import_benchmark(
        name,
        sources,
        folder,
        Settings(limit=_LIMIT),
        started=lambda n: None,  # noqa: ARG005
        done=lambda bug_id: None,  # noqa: ARG005
        machine=context.machine,
    )
    return "".join(f"{bug.id} was dropped: {bug.reason}. " for bug in made.dropped)


def _is_healthy(context: SelfTestContext, folder: Path) -> str:
    if not folder.is_dir():
        raise NotTried("nothing was imported")
    found: list[Health] = []
    check_bugs(list(open_benchmark(str(folder))), context.machine, found.append)
    return "; ".join(f"{health.bug_id}: {health.problems[0]}" for health in found if health.problems)
