"""What every language promises: it knows its files, reads any text, and builds and runs its own program in the sandbox."""

from collections.abc import Iterator

from repairlab.cli.contracts.check import Check, SelfTestContext, attempt
from repairlab.languages.language import Language
from repairlab.languages.table import language, language_of_path
from repairlab.validation.doctor import self_test

HOSTILE = ("", "\n\n\n", "\0\x07", "\"unclosed '", "(" * 500, ")}]" * 50, "é\ud800🙂\r\n\tx", "/* # -- <!-- `", "x" * 20_000)
"""Texts on which no reader of sources may fail."""


def checks(name: str, context: SelfTestContext) -> Iterator[Check]:
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
