"""Find the functions of C and C++ in their tokens, whatever macros and conditionals do to the grammar.

A header runs from the end of the previous declaration to `{`; its shape tells whether it opens a function, a class or a namespace.
"""

import re
from bisect import bisect_left
from functools import lru_cache

from repairlab.core.text import Span
from repairlab.languages.curly import Bracketed
from repairlab.languages.language import Function
from repairlab.languages.native.declarators import NOT_NAMES, STATEMENTS, Declarator, Headers
from repairlab.languages.native.lexer import Native, lex

_CLASS_KEYS = frozenset({"class", "struct", "union", "enum"})
_ACCESS = frozenset({"public", "private", "protected", "signals", "slots", "Q_SIGNALS", "Q_SLOTS"})
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n|\r[ \t]*\r")
_MOST_OLD_STYLE = 127
"""Parameters of a function that every compiler accepts (C99 5.2.4.1); with more, old-style definitions are not considered."""
_Scope = tuple[int, int, tuple[str, ...], bool]
"""First token, the one after the last, qualifying names, and whether declarations (not statements) stand there."""


@lru_cache(maxsize=4)  # one rule after another asks for those of the same two texts, before and after a fix
def functions(language: Native, source: str) -> tuple[Function, ...]:
    """Return all functions with a body, qualified by what is around them; unnamed namespaces and classes add nothing.

    `void ns::Foo::bar() {}` is `ns.Foo.bar`, a friend defined in a class is qualified by that class, lambdas are left out. A macro
    that makes a function, `DEFINE_TEST(x) {`, lends it its own name.
    """
    outline = _Outline(language, source)
    outline.run()
    return tuple(outline.found)


class _Outline:
    def __init__(self, language: Native, source: str) -> None:
        self.is_c = language == "c"
        self.source = source
        self.t = Bracketed(source, lex(language, source), has_directives=True)
        self.headers = Headers(self.t)
        self.found: list[Function] = []
        self.todo: list[_Scope] = [(0, len(self.t), (), True)]

    def run(self) -> None:
        while self.todo:
            first, last, scope, is_declarative = self.todo.pop()
            if is_declarative:
                self._declarations(first, last, scope)
            else:
                self._statements(first, last, scope)

    def _declarations(self, first: int, last: int, scope: tuple[str, ...]) -> None:
        t = self.t
        header = index = first
        while index < last:
            text = t.texts[index]
            if text == "{":
                following = self._block(header, index, last, scope)
                header, index = (following, following) if following else (header, t.after(index))
            elif text in (";", "}"):
                index += 1
                header = header if text == ";" and self._continues_old_style(header, index, last) else index
            elif text == "=":
                header = index = self._after_initialiser(index, last)
            elif text == ":" and index - header <= 3 and _ACCESS & set(t.texts[header:index]):
                header = index = index + 1
            else:
                index = self.headers.step(index, header, last)

    def _after_initialiser(self, index: int, last: int) -> int:
        t = self.t
        while index < last and t.texts[index] != ";":
            index = t.after(index) if t.texts[index] in ("(", "[", "{") else index + 1
        return min(index + 1, last)

    def _block(self, header: int, brace: int, last: int, scope: tuple[str, ...]) -> int:
        """Process the block that opens at `brace`; return where the next header starts, 0 if this one continues."""
        t = self.t
        behind = min(t.after(brace), last)
        words = self.headers.top_level(header, brace)
        texts = [t.texts[at] for at in words]
        if "namespace" in texts and not _CLASS_KEYS & set(texts):
            self.todo.append((brace + 1, behind, scope + self._namespace(words), True))
            return behind
        if texts[-2:-1] == ["extern"] and t.kinds[words[-1]] == "string":
            self.todo.append((brace + 1, behind, scope, True))
            return behind
        if self._is_requirement(brace) or self._is_member_initialiser(header, brace):
            return 0
        header = self._after_macro_calls(header, brace)
        declarator = self.headers.declarator(header, brace, scope)
        class_name = self._class_name(words, declarator)
        if class_name is not None:
            if "enum" not in texts:
                self.todo.append((brace + 1, behind, scope + class_name, True))
            return behind
        if declarator is None:
            return behind
        end = self._after_handlers(behind, last) if "try" in texts else behind
        names = scope + declarator.names
        parameters = t.parameters(declarator.group)
        self.found.append(
            Function(
                name=names[-1],
                qualified=".".join(names),
                span=Span(start=t.start(header), end=t.end(end - 1)),
                body=Span(start=t.start(brace), end=t.end(end - 1)),
                parameters=() if parameters == ("void",) else parameters,
            )
        )
        self.todo.append((brace + 1, end, names, False))
        return end

    def _namespace(self, words: list[int]) -> tuple[str, ...]:
        """Return the names that a namespace adds to the scope; attributes and macros may stand around them."""
        t = self.t
        names: list[str] = []
        position = [t.texts[at] for at in words].index("namespace") + 1
        while position < len(words):
            if t.is_name(words[position]):
                names.append(t.texts[words[position]])
                if position + 1 == len(words) or t.texts[words[position + 1]] != "::":
                    break
            position += 1
        return tuple(names)

    def _is_requirement(self, brace: int) -> bool:
        """Return whether a brace opens the body of a requires-expression."""
        t = self.t
        before = brace - 1
        if t.text(before) == ")":
            before = t.partner.get(before, before) - 1
            return t.text(before) == "requires" and t.text(before - 1) in ("requires", "&&", "||", "!")
        return t.text(before) == "requires"

    def _is_member_initialiser(self, header: int, brace: int) -> bool:
        """Return whether a brace initialises a member: after the colon of a constructor, next to a name."""
        t = self.t
        if not (t.is_name(brace - 1) or t.text(brace - 1) in (">", ">>")):
            return False
        words = self.headers.top_level(header, brace)
        texts = [t.texts[at] for at in words]
        return ":" in texts and "(" in texts[: texts.index(":")] and not _CLASS_KEYS & set(texts[: texts.index(":")])

    def _class_name(self, words: list[int], declarator: Declarator | None) -> tuple[str, ...] | None:
        """Return the names that a class adds to the scope (none if unnamed); None if the header is not a class."""
        t = self.t
        keys = [position for position, index in enumerate(words) if t.texts[index] in _CLASS_KEYS]
        if not keys:
            return None
        if declarator:
            # `struct foo *f(int x) {` returns a class; `struct API(x) foo {` is one.
            between = [at for at in words if words[keys[0]] < at < declarator.name and t.texts[at] not in ("[", "(")]
            if words[keys[0]] > declarator.name or any(t.texts[at] not in NOT_NAMES for at in between):
                return None
        names: list[int] = []
        for index in words[keys[-1] + 1 :]:
            if t.texts[index] == ":":
                break
            if (t.is_name(index) and t.texts[index] != "final" and t.texts[index] not in NOT_NAMES) or t.texts[index] == "::":
                names.append(index)
        own: list[str] = []
        for position in range(len(names) - 1, -1, -1):
            if t.texts[names[position]] == "::":
                continue
            own.insert(0, t.texts[names[position]])
            if position == 0 or t.texts[names[position - 1]] != "::":
                break
        return tuple(own)

    def _after_handlers(self, index: int, last: int) -> int:
        t = self.t
        while index < last and t.texts[index] == "catch" and t.text(index + 1) == "(":
            brace = t.after(index + 1)
            if t.text(brace) != "{":
                break
            index = min(t.after(brace), last)
        return index

    def _after_macro_calls(self, header: int, brace: int) -> int:
        """Return where a function's header starts: macros set off by a blank line or a comment stand for themselves."""
        t = self.t
        starts: list[int] = []
        index = header
        while index < brace and t.is_name(index):
            index = t.after(index + 1) if t.text(index + 1) == "(" else index + 1
            if index < brace and self._is_set_off(index):
                starts.append(index)
        for start in reversed(starts):
            declarator = self.headers.declarator(start, brace, ())
            if declarator and self.headers.has_type(self.headers.top_level(start, brace), declarator):
                return start
        return header

    def _is_set_off(self, index: int) -> bool:
        start, end = self.t.end(index - 1), self.t.start(index)
        at = bisect_left(self.t.comments, start)
        comment = self.t.comments[at] if at < len(self.t.comments) else end
        return bool(_BLANK_LINE.search(self.source, start, end)) or (comment < end and "\n" in self.source[start:comment])

    def _continues_old_style(self, header: int, index: int, last: int) -> bool:
        """Return whether the header may be an old-style definition, `int f(a) int a; {`, whose declarations go on or just ended."""
        t = self.t
        if not self.is_c or index >= last:
            return False
        declarator = self.headers.declarator(header, index, ())
        if declarator is None or declarator.group not in t.partner:
            return False
        close = t.partner[declarator.group]
        names = {t.texts[at] for at in range(declarator.group + 1, close) if t.is_name(at)}
        is_list = all(t.is_name(at) or t.texts[at] == "," for at in range(declarator.group + 1, close))
        if (
            not 0 < len(names) <= _MOST_OLD_STYLE
            or not is_list
            or t.text(close + 1) in (";", "")
            or t.kinds[close + 1] not in ("name", "keyword")
        ):
            return False
        at = close + 1
        for _ in names:  # each declaration is of one at least
            if at >= index:
                return True
            end = next(position for position in range(at, index) if t.texts[position] == ";")
            if not any(t.texts[position] in names for position in range(at + 1, end)):
                return False
            at = end + 1
        return at >= index

    def _statements(self, first: int, last: int, scope: tuple[str, ...]) -> None:
        """Look into a body for local classes and, in C, nested functions."""
        t = self.t
        start = index = first
        while index < last:
            text = t.texts[index]
            if text in ("class", "struct", "union") and not self.is_c:
                brace = self._local_class(index, last)
                if brace:
                    index = start = self._block(index, brace, last, scope) or index + 1
                    continue
            if text == "{" and self.is_c and self._is_nested_function(start, index):
                index = start = self._block(start, index, last, scope) or index + 1
                continue
            index += 1
            if text in (";", "{", "}", ":"):
                start = index

    def _local_class(self, index: int, last: int) -> int:
        t = self.t
        position = index + 1
        while position < last and t.texts[position] not in ("{", ";", "(", ")", "=", "}", "*", "&", ","):
            position = max(t.after_angles(position, last), position + 1) if t.texts[position] == "<" else position + 1
            if t.text(position) == "," and ":" in t.texts[index:position]:
                position += 1
        return position if position < last and t.texts[position] == "{" else 0

    def _is_nested_function(self, start: int, brace: int) -> bool:
        t = self.t
        if t.text(brace - 1) != ")" or any(t.texts[at] in STATEMENTS or t.texts[at] == "=" for at in range(start, brace)):
            return False
        group = t.partner.get(brace - 1, 0)
        before = range(start, group)
        return (
            len(before) >= 2
            and t.is_name(group - 1)
            and all(t.kinds[at] in ("name", "keyword") or t.texts[at] == "*" for at in before)
        )
