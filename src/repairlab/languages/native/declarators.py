"""Headers of C and C++ declarations: which function one names, if any.

A header is what stands before `{`; macros and attributes may surround what the grammar knows.
"""

from itertools import pairwise

from repairlab.languages.curly import Bracketed
from repairlab.languages.syntax import joined

_STATEMENT_WORDS = "if else for while do switch case default return goto break continue catch sizeof"
STATEMENTS = frozenset(_STATEMENT_WORDS.split())
_ATTRIBUTE_WORDS = """__attribute__ __attribute __declspec alignas _Alignas decltype typeof __typeof__ __typeof noexcept throw
explicit requires asm __asm__ __asm __extension__ _Pragma __pragma static_assert _Static_assert alignof _Alignof"""
NOT_NAMES = STATEMENTS | frozenset(_ATTRIBUTE_WORDS.split())
"""Words before a bracket that do not name a function."""
_MODIFIER_WORDS = """static extern inline virtual explicit constexpr consteval constinit friend register _Noreturn __inline
__inline__ __extension__ typedef mutable thread_local _Thread_local __forceinline"""
_MODIFIERS = frozenset(_MODIFIER_WORDS.split())
_NO_TYPES = _MODIFIERS | NOT_NAMES | {"template", "typename"}
_MAX_NESTED_DECLARATORS = 20


class Declarator:
    """The part of a header that names a function."""

    def __init__(self, names: tuple[str, ...], name: int, group: int) -> None:
        self.names = names
        self.name = name
        """First token of the name, qualifiers included."""
        self.group = group
        """The bracket that opens the parameters."""


class Headers:
    """Reads headers among the tokens of one text."""

    def __init__(self, tokens: Bracketed) -> None:
        self.t = tokens
        self.source = tokens.source

    def top_level(self, first: int, last: int) -> list[int]:
        """Return the tokens of a header outside all brackets; a bracket stands for its group."""
        t = self.t
        found: list[int] = []
        index = first
        while index < last:
            following = self.step(index, first, last)
            found.extend(range(index, following) if t.texts[index] == "operator" else (index,))
            index = following
        return found

    def step(self, index: int, first: int, last: int) -> int:
        """Return the index after the token, group, operator name or template argument list that starts at `index`."""
        t = self.t
        text = t.texts[index]
        if text == "operator":
            return self._after_operator(index, last)
        if text == "<" and index > first and (t.is_name(index - 1) or t.texts[index - 1] == "template"):
            return max(t.after_angles(index, last), index + 1)
        return t.after(index) if text in ("(", "[", "{") else index + 1

    def _after_operator(self, index: int, last: int) -> int:
        """Return the index of the bracket that opens the parameters of an operator function."""
        t = self.t
        index += 1
        if t.text(index) in ("(", "[") and t.text(index + 1) in (")", "]"):
            return min(index + 2, last)
        if index < last and t.kinds[index] == "operator" and t.texts[index] not in ("(", "::"):
            return index + 1
        while index < last and t.texts[index] not in ("(", ";", "{", "}"):
            index = max(t.after_angles(index, last), index + 1) if t.texts[index] == "<" else index + 1
        return index

    def declarator(self, header: int, brace: int, scope: tuple[str, ...]) -> Declarator | None:
        """Return the function that a header names.

        In `int f(int x) NONNULL(1)` the first name with a type before it is the function's. Without a type, as in
        `API(int) f(int x)`, it is the second; a lone name, as in `DEFINE_TEST(x)`, is all there is.
        """
        t = self.t
        words = self.top_level(header, brace)
        untyped: list[Declarator] = []
        for position, index in enumerate(words):
            text = t.texts[index]
            if text in (":", "->", "=") or (text == "requires" and untyped):
                break
            if text == "operator" and position + 1 < len(words):
                return self._operator(words, position)
            if text == "(" and index in t.partner:
                found = self._inner_declarator(index) or self._named(words, position)
                if found and (self.has_type(words, found) or self._is_constructor(found, scope)):
                    return found
                untyped += [found] if found else []
        return next(iter(untyped[1:2] or untyped), None)

    def has_type(self, words: list[int], declarator: Declarator) -> bool:
        """Return whether a type, or something that may be one, precedes the name."""
        t = self.t
        return any(
            t.kinds[at] in ("name", "keyword") and t.texts[at] not in _NO_TYPES and t.texts[following] != "("
            for at, following in pairwise(words)
            if at < declarator.name
        )

    def _is_constructor(self, named: Declarator, scope: tuple[str, ...]) -> bool:
        names = named.names
        return (
            names[-1].startswith("~") or (len(names) > 1 and names[-1] == names[-2]) or (len(names) == 1 and names[0] in scope[-1:])
        )

    def _named(self, words: list[int], position: int) -> Declarator | None:
        """Return the declarator whose parameters open at `words[position]`, if a name stands before them."""
        t = self.t
        at = position - 1
        at = self._before_angles(words, at)
        if at < 0 or not t.is_name(words[at]) or t.texts[words[at]] in NOT_NAMES:
            return None
        name = t.texts[words[at]]
        if at and t.texts[words[at - 1]] == "~":
            at -= 1
            name = f"~{name}"
        names, at = self._qualifiers(words, at)
        return Declarator((*names, name), words[at], words[position])

    def _operator(self, words: list[int], position: int) -> Declarator | None:
        t = self.t
        group = self._after_operator(words[position], words[-1] + 1)
        rest = [at for at in words if words[position] < at < group]
        spelt = joined(self.source, [t.pieces[at] for at in range(words[position] + 1, group)]) if rest else ""
        if t.text(group) == "<":
            group = t.after_angles(group, len(t))
        while t.text(group) == "[":
            group = t.after(group)
        if t.text(group) != "(" or not spelt:
            return None
        is_symbol = t.kinds[rest[0]] == "operator" and t.texts[rest[0]] != "::"
        name = "operator" + (spelt.replace(" ", "") if is_symbol or spelt.startswith('"') else f" {spelt}")
        names, at = self._qualifiers(words, position)
        return Declarator((*names, name), words[at], group)

    def _before_angles(self, words: list[int], at: int) -> int:
        """Step back over template arguments: among top-level tokens they are just the `<`."""
        return at - 1 if at > 0 and self.t.texts[words[at]] == "<" and self.t.is_name(words[at - 1]) else at

    def _qualifiers(self, words: list[int], at: int) -> tuple[tuple[str, ...], int]:
        """Return the names before `words[at]` that `::` joins to it, and where the first of them is."""
        t = self.t
        names: list[str] = []
        while at > 0 and t.texts[words[at - 1]] == "::":
            before = self._before_angles(words, at - 2)
            if before < 0 or not t.is_name(words[before]):
                at -= 1
                break
            names.insert(0, t.texts[words[before]])
            at = before
        return tuple(names), at

    def _inner_declarator(self, group: int, *, depth: int = 0) -> Declarator | None:
        """Read `(*name(parameters))(…)`, a function that returns a pointer, and `(name)(parameters)`."""
        t = self.t
        close = t.partner[group]
        following = t.text(close + 1)
        if following not in ("(", "[") or depth > _MAX_NESTED_DECLARATORS:
            return None
        if close == group + 2 and t.is_name(group + 1) and following == "(":
            return Declarator((t.texts[group + 1],), group, close + 1)
        inside = self.top_level(group + 1, close)
        if not any(t.texts[at] in ("*", "&", "^") for at in inside[:3]):
            return None
        for position, index in enumerate(inside):
            if t.texts[index] == "(" and index in t.partner:
                deeper = self._inner_declarator(index, depth=depth + 1)
                if deeper:
                    return deeper
                named = self._named(inside, position) if position else None
                if named:
                    return Declarator(named.names, group, index)
        return None
