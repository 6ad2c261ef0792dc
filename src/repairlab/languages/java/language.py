"""Java: cutting a text into tokens, finding its methods, whether a program can see its own layout, and the language's entry."""

import functools
import random
import re
from collections.abc import Sequence
from functools import cached_property

from repairlab.core.recipe import Framework
from repairlab.core.text import Span
from repairlab.languages import curly
from repairlab.languages.blind import BlindFile, said_in
from repairlab.languages.counter import TestBody
from repairlab.languages.curly import NEWLINE, SINGLE, WORD, Bracketed, Lexicon, operators_of
from repairlab.languages.java import counter
from repairlab.languages.java.blind import blind
from repairlab.languages.java.facts import FACTS
from repairlab.languages.java.toolchain import JavaToolchain
from repairlab.languages.language import Function, Syntax, Toolchain, Tools
from repairlab.languages.syntax import LexedSyntax, Piece, looking

_KEYWORDS = """abstract assert boolean break byte case catch char class const continue default do double else enum extends
false final finally float for goto if implements import instanceof int interface long native new null package private protected
public return short static strictfp super switch synchronized this throw throws transient true try void volatile while"""
_OPERATORS = ">>>= >>> <<= >>= ... -> :: ++ -- && || == != <= >= += -= *= /= &= |= ^= %= << >> @"
_TEXT_BLOCK_START = r'"""[ \t\f]*(?:\r\n?|\n)'
_DIGITS = r"[0-9](?:[0-9_]*[0-9])?"


@functools.cache
def _pattern(raw: bool, block: bool) -> re.Pattern[str]:
    """Return the pattern that splits Java; text blocks (`raw`) and `block` comments without an end count from their start."""
    whole_block = r"|/\*[\s\S]*?\*/" if block else ""
    whole_raw = rf'{_TEXT_BLOCK_START}(?>(?:[^"\\]++|\\[\s\S]|"(?!""))*)"""|' if raw else ""
    return re.compile(
        rf"(?P<newline>{NEWLINE})|(?P<space>[ \t\f]+)"
        # Java reads \u000a as a line break even in a comment, where it ends it.
        rf"|(?P<comment>//(?>(?:[^\r\n\\]++|\\\\|(?!\\u+000[aAdD])\\)*){whole_block}){'|(?P<block>/[*])' if block else ''}"
        rf"{f'|(?P<string>{whole_raw}(?!{_TEXT_BLOCK_START})' if raw else '|(?P<string>'}"
        + r'(?:"(?>(?:[^"\\\r\n]++|\\[^\r\n])*)"'
        + r"|'(?>(?:[^'\\\r\n]++|\\[^\r\n])*)'))"
        rf"{f'|(?P<raw>{_TEXT_BLOCK_START})' if raw else ''}"
        rf"|(?P<word>{WORD}(?>(?:[\w$]|\\u+[0-9a-fA-F]+)*))"
        rf"|(?P<number>(?:0[xX][0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?(?:[pP][+-]?[0-9_]+)?|0[bB][01_]+"
        rf"|(?:{_DIGITS}(?:\.(?!\.)(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+-]?[0-9_]+)?)[lLfFdD]?)"
        r"""|(?P<error>/\*|"(?>(?:[^"\\\r\n]++|\\[^\r\n]|\\)*)|'(?>(?:[^'\\\r\n]++|\\[^\r\n]|\\)*))"""
        rf"|(?P<operator>{operators_of(_OPERATORS, SINGLE + '@')})|(?P<other>[\s\S])"
    )


_JAVA = Lexicon(keywords=frozenset(_KEYWORDS.split()), pattern=_pattern, prelude=re.compile(r"\ufeff?(?:#![^\r\n]*)?"))


def lex(source: str) -> list[Piece]:
    """Cut the text into pieces."""
    return curly.lex(_JAVA, source)


_TYPE_KEYS = frozenset({"class", "interface", "enum", "record"})
_STATEMENT_WORDS = "if else for while do switch case default return try catch finally synchronized throw new"
_STATEMENTS = frozenset(_STATEMENT_WORDS.split())


class Java:
    """The language Java."""

    facts = FACTS

    def __init__(self, tools: Tools) -> None:
        self.syntax: Syntax = LexedSyntax("java", lex, functions, sees)
        self._tools = tools

    @cached_property
    def toolchain(self) -> Toolchain:
        """Return the tool chain, made when first asked for."""
        return JavaToolchain(self._tools)

    def test_bodies(self, source: str, framework: Framework, draw: random.Random) -> list[TestBody]:
        """Return the functions of a test file and what can be changed in them."""
        return counter.test_bodies(source, draw, framework)

    def blind(self, source: str, framework: Framework, nonce: str, first: int) -> BlindFile:
        """Return a test file without its expectations; see `Blinding`."""
        return blind(source, framework, nonce, first)

    def said(self, nonce: str, output: str) -> Sequence[tuple[str, str]]:
        """Return what tests said in their order."""
        return said_in(nonce, output)


def functions(source: str) -> list[Function]:
    """Return all methods and constructors with a body.

    Methods of an anonymous class are qualified by `$1`, `$2`, …, counted within the class around it as the compiler does
    (`Outer.method.$1.run`); those of an enum constant's body by the constant (`Color.RED.shade`). Lambdas are left out.
    """
    return _Outline(source).run()


class _Type:
    """A class, interface, enum, record or anonymous class; the file itself is one without a name."""

    def __init__(self, kind: str, name: str) -> None:
        self.kind = kind
        self.name = name
        self.n_anonymous = 0


class _Outline:
    """One walk over types and the code in them."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.t = Bracketed(source, lex(source))
        self.found: list[Function] = []
        file = _Type("class", "")
        self.todo: list[tuple[int, int, tuple[str, ...], _Type, bool]] = [(0, len(self.t), (), file, True)]
        """First token, the one after the last, qualifying names, the type around it, and whether its members are there."""

    def run(self) -> list[Function]:
        # First in, first out by position, so that anonymous classes are counted in text order.
        while self.todo:
            first, last, scope, around, are_members = self.todo.pop()
            if not are_members:
                self._code(first, last, scope, around)
                continue
            if around.kind == "enum":
                first = self._constants(first, last, scope, around)
            self._members(first, last, scope, around)
        return self.found

    def _later(self, first: int, last: int, scope: tuple[str, ...], around: _Type, *, are_members: bool) -> None:
        self.todo.append((first, last, scope, around, are_members))

    def _members(self, first: int, last: int, scope: tuple[str, ...], around: _Type) -> None:
        t = self.t
        header = index = first
        n_before = len(self.todo)
        while index < last:
            text = t.texts[index]
            if text == "{":
                header = index = self._block(header, index, last, scope, around)
            elif text in (";", "}"):
                header = index = index + 1
            elif text == "=":
                end = index
                while end < last and t.texts[end] != ";":
                    end = t.after(end) if t.texts[end] in ("(", "[", "{") else end + 1
                self._later(index, min(end, last), scope, around, are_members=False)
                header = index = end + 1
            else:
                index = t.after(index) if text in ("(", "[") else index + 1
        self.todo[n_before:] = reversed(self.todo[n_before:])

    def _block(self, header: int, brace: int, last: int, scope: tuple[str, ...], around: _Type) -> int:
        t = self.t
        behind = min(t.after(brace), last)
        words = self._top_level(header, brace)
        declared = self._declared_type(words)
        if declared:
            self._later(brace + 1, behind, (*scope, declared.name), declared, are_members=True)
            return behind
        group = next((at for at in range(1, len(words)) if t.texts[words[at]] == "(" and t.is_name(words[at - 1])), 0)
        name = t.texts[words[group - 1]] if group else ""
        is_compact = not group and around.kind == "record" and bool(words) and t.texts[words[-1]] == around.name
        is_code = not words or t.texts[words[0]] in _STATEMENTS - {"default", "synchronized"} or t.texts[words[-1]] == "default"
        if is_compact:
            name = around.name
        if not name or is_code:
            self._later(brace + 1, behind, scope, around, are_members=False)
            return behind
        names = (*scope, name)
        self.found.append(
            Function(
                name=name,
                qualified=".".join(names),
                span=Span(start=t.start(header), end=t.end(behind - 1)),
                body=Span(start=t.start(brace), end=t.end(behind - 1)),
                parameters=self.t.parameters(words[group]) if group else (),
            )
        )
        self._later(brace + 1, behind, names, around, are_members=False)
        return behind

    def _top_level(self, first: int, last: int) -> list[int]:
        """Return the tokens of a header outside brackets and annotations; a bracket stands for its group."""
        t = self.t
        found: list[int] = []
        index = first
        while index < last:
            text = t.texts[index]
            if text == "@" and t.text(index + 1) != "interface":
                index += 2
                while t.text(index) == "." and index + 1 < last:
                    index += 2
                index = t.after(index) if t.text(index) == "(" else index
                continue
            found.append(index)
            if text == "<":
                index = max(t.after_angles(index, last), index + 1)
            else:
                index = t.after(index) if text in ("(", "[") else index + 1
        return found

    def _declared_type(self, words: list[int]) -> _Type | None:
        t = self.t
        for position, index in enumerate(words[:-1]):
            text = t.texts[index]
            if text == "(":
                return None
            following = words[position + 1]
            if text in _TYPE_KEYS and t.is_name(following) and t.text(index - 1) != ".":
                is_record = position + 2 < len(words) and t.texts[words[position + 2]] in ("(", "<")
                if text != "record" or is_record:
                    return _Type(text, t.texts[following])
        return None

    def _constants(self, first: int, last: int, scope: tuple[str, ...], around: _Type) -> int:
        """Process the constants of an enum; return the index of its other members."""
        t = self.t
        index = first
        name = ""
        pending: list[tuple[int, int, str]] = []
        while index < last and t.texts[index] != ";":
            text = t.texts[index]
            if t.is_name(index) and t.text(index - 1) != "@":
                name = t.texts[index]
            if text == "{":
                pending.append((index + 1, min(t.after(index), last), name))
            elif text == "(":
                pending.append((index + 1, t.after(index) - 1, ""))
            index = t.after(index) if text in ("(", "[", "{") else index + 1
        for start, end, constant in reversed(pending):
            if constant:
                self._later(start, end, (*scope, constant), _Type("class", constant), are_members=True)
            else:
                self._later(start, end, scope, around, are_members=False)
        return min(index + 1, last)

    def _code(self, first: int, last: int, scope: tuple[str, ...], around: _Type) -> None:
        """Look into code for anonymous and local classes."""
        t = self.t
        index = first
        n_before = len(self.todo)
        while index < last:
            text = t.texts[index]
            if text == "new":
                group = self._after_type(index + 1, last)
                brace = t.after(group) if t.text(group) == "(" else last
                if brace < last and t.texts[brace] == "{":
                    around.n_anonymous += 1
                    name = f"${around.n_anonymous}"
                    # The arguments come first in the text, and their classes are counted after this one.
                    self._later(group + 1, brace, scope, around, are_members=False)
                    self._later(brace + 1, t.after(brace), (*scope, name), _Type("class", name), are_members=True)
                    index = t.after(brace)
                    continue
            elif text in _TYPE_KEYS and t.text(index - 1) != ".":
                brace = self._brace_of_type(index, last)
                declared = self._declared_type(self._top_level(index, brace)) if brace else None
                if declared:
                    self._later(brace + 1, t.after(brace), (*scope, declared.name), declared, are_members=True)
                    index = t.after(brace)
                    continue
            index += 1
        self.todo[n_before:] = reversed(self.todo[n_before:])

    def _after_type(self, index: int, last: int) -> int:
        """Return the index behind the type name that `new` creates."""
        t = self.t
        while index < last:
            if t.texts[index] == "@":
                index += 2
                index = t.after(index) if t.text(index) == "(" else index
            elif t.texts[index] == "<":
                following = t.after_angles(index, last)
                if following == index:
                    break
                index = following
            elif t.is_name(index) or t.texts[index] == ".":
                index += 1
            else:
                break
        return index

    def _brace_of_type(self, index: int, last: int) -> int:
        t = self.t
        while index < last and t.texts[index] not in ("{", "}", ";", "=", ")"):
            index = t.after(index) if t.texts[index] in ("(", "[") else index + 1
        return index if index < last and t.texts[index] == "{" else 0


_LOOKING = (
    r"StackTrace|StackWalker|LineNumber|StackFrame|fillIn|Throwables|SourceFile|Logger|reflect|invoke|forName|getResource|ScriptEngine"
    r"|listFiles|Files\.(?:walk|list|find|newDirectoryStream)|ToolProvider|Instrumentation"
    # letters that only the compiler sees
    r"|\\u+[0-9a-fA-F]"
)
_WAYS = (
    rf"{_LOOKING}"
    # files and programs: of the JDK, only packages without any, apart from these words
    r"|File|Path|\bUR[LI]|Process|Runtime\b|exec\b|\b(?:javax|jdk|sun|netscape|org\s*\.\s*(?:w3c|xml|ietf|junit))\b"
    r"|\bjava\b(?!\s*\.\s*(?:util|lang|io|math|text|time)\b)|\bjava\s*\.\s*lang\s*\.(?!\s*[A-Z])"
    r"|\bjava\s*\.\s*util\s*\.(?!\s*(?:[A-Z*]|(?:concurrent|function|random|regex|stream)\b))"
    # classes by name, and traces written by others
    r"|ClassLoader|loadClass|ServiceLoader|ResourceBundle|ObjectInput|Unsafe|setErr|dumpStack|System\s*\.\s*load|Module"
)


def sees(source: str, *, of_others: bool) -> bool:
    """Return whether a Java text may look at its own layout; a test, which sees that `of_others`, says so."""
    return looking(_LOOKING if of_others else _WAYS).search(source) is not None
