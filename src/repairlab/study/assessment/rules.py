"""Propose by which of NPR4J's rules a plausible candidate may be called correct, comparing trees with the developer's fix.

A proposal is for people to check; only R0, the same program, stands by itself.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from difflib import SequenceMatcher
from functools import cached_property, lru_cache

from repairlab.core.diff import unified_diff
from repairlab.core.record import record
from repairlab.core.text import Span
from repairlab.languages.facts import facts
from repairlab.languages.language import language as language_named
from repairlab.languages.parser import Parsed
from repairlab.metrics.exact_match import same_tree
from repairlab.study.assessment.definitions import (
    Definition,
    definition_of,
    unrolled,
    uses,
    variables_in,
    with_fields,
    with_values,
)
from repairlab.study.assessment.normal_terms import FALSE, NO_RECEIVER, NULL, Term, names_in, rewritten, subterms, term_of
from repairlab.study.assessment.ratings import RULES
from repairlab.study.assessment.rewrites import REWRITES, is_near

_ALIKE = 0.5
"""Share of common names above which two pieces of code may do the same in other words."""
_NEED_COMMON = frozenset({"R5", "R6", "R11", "R12", "R19"})
"""Rules proposed only if a candidate has something of what the fix adds; one that just deletes has not."""
MethodsOf = Callable[[Collection[str]], Mapping[str, Definition]]
_IMPORT = re.compile(r"import(?:static)?[\w.*]+;")
Files = Mapping[str, str | None]


@record
class Programs:
    """The files that a candidate or the fix changes, in all three versions; None if a version lacks a file."""

    language: str
    buggy: Files
    fixed: Files
    candidate: Files

    def diff(self, changed: Files) -> str:
        """Return how some of the files differ from the buggy ones."""
        return "".join(unified_diff(path, self.buggy.get(path) or "", text or "") for path, text in sorted(changed.items()))


def is_identical(programs: Programs) -> bool:
    """R0: whether a candidate is the fix but for layout, comments, parentheses and braces around single statements."""
    return all(
        one == other or (one is not None and other is not None and _same(path, one, other, programs.language))
        for path in programs.fixed.keys() | programs.candidate.keys()
        for one, other in [(_text(path, programs.candidate, programs), _text(path, programs.fixed, programs))]
    )


def _text(path: str, files: Files, programs: Programs) -> str | None:
    return files[path] if path in files else programs.buggy.get(path)


def _same(path: str, one: str, other: str, language: str) -> bool:
    if not path.endswith((*facts(language).extensions, *facts(language).headers)):
        return one.split() == other.split()
    first, second = functions_of(one, language), functions_of(other, language)
    if first.frame != second.frame or first.texts.keys() != second.texts.keys():
        return same_tree(one, other, language)
    return all(text == second.texts[name] or same_tree(text, second.texts[name], language) for name, text in first.texts.items())


def proposed_rules(programs: Programs) -> tuple[str, ...]:
    """Return the rules that together explain every difference between a candidate and the fix; None if one is unexplained."""
    if is_identical(programs):
        return ("R0",)
    found: set[str] = set()
    for path in sorted(programs.fixed.keys() | programs.candidate.keys()):
        texts = [_text(path, files, programs) for files in (programs.buggy, programs.fixed, programs.candidate)]
        if texts[1] == texts[2]:
            continue
        if any(text is None for text in texts) or not path.endswith(facts(programs.language).extensions):
            return ()
        rules = {_LEFT} if texts[0] == texts[2] else _of_file(*(text or "" for text in texts), language=programs.language)
        if rules is None:
            return ()
        found |= rules
    if found <= {_LEFT} or (found & {_LEFT, "R12"} and not found <= _SAME):
        return ()
    found = {"R12" if rule == _LEFT else rule for rule in found}
    return tuple(rule for rule in RULES if rule in found and (rule != "R0" or found == {"R0"}))


_LEFT = "left as it was"
"""For functions and files that the fix changes and the candidate does not."""
_SAME = frozenset({_LEFT, "R0", "R2", "R3", "R4", "R7", "R9", "R12", "R16", "R17"})
"""Rules that may accompany R12: the parts of the fix that a candidate has, it has as the fix does."""


def _of_file(buggy: str, fixed: str, candidate: str, *, language: str) -> set[str] | None:
    """Explain the differences in one file, function by function; None if that fails."""
    before, fix, mine = (functions_of(text, language) for text in (buggy, fixed, candidate))
    if fix.without_imports != mine.without_imports or fix.texts.keys() != mine.texts.keys():
        return None
    found: set[str] = set()
    for name, text in fix.texts.items():
        if text != mine.texts[name] and mine.texts[name] == before.texts.get(name):
            found.add(_LEFT)
        elif text != mine.texts[name]:
            rules = explained(before.term(name), fix.term(name), mine.term(name), fix.methods)
            if rules is None:
                return None
            found |= rules
    return found


@lru_cache(maxsize=32)
def functions_of(text: str, language: str) -> "Functions":
    """Return the functions of a text; those of a bug are needed for every candidate."""
    return Functions(text, language)


class Functions:
    """The functions of a text that are not nested in others."""

    def __init__(self, text: str, language: str) -> None:
        """Find the functions; the text is parsed when a term is asked for."""
        self._text, self._language = text, language
        self._spans: dict[str, Span] = {}
        end, around = 0, []
        for function in sorted(language_named(language).syntax.functions(text), key=lambda item: item.span.start):
            if function.span.start >= end:
                twins = sum(name.startswith(f"{function.signature}#") for name in self._spans)
                self._spans[f"{function.signature}#{twins}"] = function.span
                around.append(text[end : function.span.start])
                end = function.span.end
        self.texts = {name: span.of(text) for name, span in self._spans.items()}
        self.frame = ["".join(part.split()) for part in (*around, text[end:])]
        """The text around the functions, without white space."""

    @property
    def without_imports(self) -> list[str]:
        """Return the text around the functions, without imports."""
        return [_IMPORT.sub("", part) for part in self.frame]

    def methods(self, names: Collection[str]) -> dict[str, Definition]:
        """Return the methods of these names that occur once."""
        plain = {name: name.partition("(")[0].rpartition(".")[2] for name in self.texts}
        often = Counter(plain.values())
        wanted = (self.term(name) for name, short in plain.items() if short in names and often[short] == 1)
        return dict(filter(None, (definition_of(term) for term in wanted if term)))

    def term(self, name: str) -> Term | None:
        """Return the term of a function; None if it is missing or does not parse."""
        return term_of(self._parsed, self._spans[name]) if name in self._spans else None

    @cached_property
    def _parsed(self) -> Parsed:
        return Parsed(self._language, self._text)


def explained(buggy: Term | None, fix: Term | None, mine: Term | None, methods: MethodsOf) -> set[str] | None:
    """Return the rules that explain how a candidate's function differs from the fix's; None if they do not.

    `methods` gives those of the file by name: a call may be replaced by what it does.
    """
    if fix is None or mine is None:
        return None
    if fix == mine:
        return {"R0"}
    try:
        return (
            _by_rewriting(fix, mine)
            or _by_definitions(fix, mine, methods)
            or _by_values(fix, mine)
            or _by_differences(fix, mine, buggy or ("none",))
        )
    except RecursionError:
        return None


def _by_rewriting(fix: Term, mine: Term) -> set[str]:
    """Return the fewest rewrites that make both equal: one, or all that are needed."""
    for rule, rewrite in REWRITES.items():
        if rewritten(fix, rewrite) == rewritten(mine, rewrite):
            return {rule}
    needed = dict(REWRITES)
    if _all(fix, needed) != _all(mine, needed):
        return set()
    for rule in REWRITES:
        fewer = {name: rewrite for name, rewrite in needed.items() if name != rule}
        if _all(fix, fewer) == _all(mine, fewer):
            needed = fewer
    return set(needed)


def _by_definitions(fix: Term, mine: Term, methods_of: MethodsOf) -> set[str]:
    """Explain a method that stands for its body, or a getter that stands for its field."""
    methods = methods_of({part[2] for term in (fix, mine) for part in subterms(term) if part[0] == "call"})
    for rule, put in (("R14", with_fields), ("R5", unrolled)):
        ours, theirs = put(fix, methods), put(mine, methods)
        if (ours, theirs) != (fix, mine):
            rules = set() if ours == theirs else _by_rewriting(ours, theirs)
            if ours == theirs or rules:
                return {rule} | rules
    return set()


def _by_values(fix: Term, mine: Term) -> set[str]:
    """Explain a variable that stands for its value: a new value instead of it (R3), one more (R6) or one fewer (R18)."""
    used = uses(fix) | uses(mine)
    ours, theirs = ({name: value for name, value in variables_in(term).items() if name in used} for term in (fix, mine))
    one, other = with_values(fix, ours), with_values(mine, theirs)
    if (one, other) == (fix, mine):
        return set()
    rules = set() if one == other else _by_rewriting(one, other)
    if one != other and not rules:
        return set()
    return rules | {"R3" if ours.keys() == theirs.keys() else "R6" if ours.keys() < theirs.keys() else "R18"}


def _all(term: Term, rewrites: Mapping[str, Callable[[Term], Term]]) -> Term:
    for _ in range(2):  # what one rule leaves another may simplify
        for rewrite in rewrites.values():
            term = rewritten(term, rewrite)
    return term


def _by_differences(fix: Term, mine: Term, buggy: Term) -> set[str] | None:
    fix, mine, buggy = (_all(term, REWRITES) for term in (fix, mine, buggy))
    if mine == buggy:
        return None
    known = frozenset(subterms(buggy))
    found: set[str] = set()
    aliases: set[_Difference] = set()
    for difference in _differences(fix, mine, known):
        rule = _explain(*difference, known)
        if rule is None:
            return None
        found.add(rule)
        aliases |= {difference} if rule == "R1" else set()
    if len(aliases) > 1:
        return None  # one word may stand for another, but words that change places mean something else
    added = {term for term in subterms(fix) if term not in known and any(isinstance(part, tuple) for part in term)}
    is_common = not added.isdisjoint(subterms(mine)) or (names_in(fix) - names_in(buggy)) & names_in(mine)
    return None if found & _NEED_COMMON and added and not is_common else found


_Difference = tuple[tuple[Term, ...], tuple[Term, ...]]
"""What the fix and the candidate have at one place: terms, or runs of statements."""


def _differences(fix: Term, mine: Term, known: frozenset[Term]) -> list[_Difference]:
    if fix == mine:
        return []
    if fix[0] == mine[0] == "block":
        found: list[_Difference] = []
        for tag, first, last, begin, end in SequenceMatcher(None, fix[1:], mine[1:], autojunk=False).get_opcodes():
            ours, theirs = fix[1 + first : 1 + last], mine[1 + begin : 1 + end]
            if tag == "replace" and len(ours) == len(theirs):
                for one, other in zip(ours, theirs, strict=True):
                    is_left = other in known and one not in known
                    found += [((one,), (other,))] if is_left else _differences(one, other, known)
            elif tag != "equal":
                found.append((ours, theirs))
        return found
    texts = [[part for part in term if not isinstance(part, tuple)] for term in (fix, mine)]
    is_same_form = len(fix) == len(mine) and texts[0] == texts[1] and fix[0] not in ("&&", "||", "call")
    if is_same_form:
        return [
            item for one, other in zip(fix, mine, strict=True) if isinstance(one, tuple) for item in _differences(one, other, known)
        ]
    if fix[0] == mine[0] == "call" and len(fix) == len(mine) and fix[2] == mine[2]:
        return [item for place in (1, *range(3, len(fix))) for item in _differences(fix[place], mine[place], known)]
    return [((fix,), (mine,))]


def _explain(fix: tuple[Term, ...], mine: tuple[Term, ...], buggy: frozenset[Term]) -> str | None:
    """Return the rule that explains one difference."""
    if not fix:
        return _more(mine, buggy)
    if not mine:
        return "R12" if not all(term in buggy for term in fix) else None
    if len(fix) == len(mine) == 1:
        found = _guarded(fix[0], mine[0], buggy) or _condition_more(fix[0], mine[0]) or _without_default(fix[0], mine[0])
        return found or ("R12" if mine[0] in buggy and fix[0] not in buggy else _other_word(fix[0], mine[0]))
    if len(fix) == 1 and len(mine) == 2 and mine[1] in buggy:
        return _guarded(fix[0], mine[0], buggy)
    if set(fix) < set(mine):
        return _more(tuple(term for term in mine if term not in fix), buggy)
    if set(mine) < set(fix):
        return "R12"
    return _other_words(fix, mine)


def _other_words(fix: tuple[Term, ...], mine: tuple[Term, ...]) -> str | None:
    """Explain runs of statements that say the same at different lengths."""
    ours, theirs = (frozenset[str]().union(*map(names_in, terms)) for terms in (fix, mine))
    if len(ours & theirs) < _ALIKE * len(ours | theirs):
        return None
    if any(term[0] == "assign" for term in mine) and len(mine) == len(fix) + 1:
        return "R6"
    is_unrolled = len(fix) == 1 < len(mine) and any(term[0] == "call" and term not in mine for term in subterms(fix[0]))
    return "R5" if is_unrolled else None


def _more(statements: tuple[Term, ...], buggy: frozenset[Term]) -> str | None:
    """Explain statements that the fix does not have."""
    if all(statement in buggy or _is_idle(statement) for statement in statements):
        return "R8"
    if all(statement[0] == "if" for statement in statements):
        return "R10" if all(_asks_for_null(statement[1]) for statement in statements) else "R11"
    return None


def _is_idle(statement: Term) -> bool:
    """Whether a statement only declares variables, perhaps under a condition."""
    is_shell = statement[0] == "block" or (statement[0] == "if" and len(statement) == 4)
    return (
        all(map(_is_idle, statement[-2:] if statement[0] == "if" else statement[1:])) if is_shell else "declaration" in statement[0]
    )


def _guarded(fix: Term, mine: Term, buggy: frozenset[Term]) -> str | None:
    """Explain a statement or value that the candidate makes conditional."""
    if mine[0] == "choice" and fix in mine[2:]:
        other = mine[3] if mine[2] == fix else mine[2]
        return "R10" if _asks_for_null(mine[1]) else "R11" if other in buggy else None
    if mine[0] == "if" and len(mine) == 4 and mine[2] in (("block", fix), fix) and mine[3] == ("block",):
        return "R10" if _asks_for_null(mine[1]) else "R11"
    return None


def _condition_more(fix: Term, mine: Term) -> str | None:
    """Explain conditions of which one has additional parts."""
    if not {fix[0], mine[0]} & {"&&", "||"}:
        return None
    ours, theirs = (set(term[1:]) if term[0] in ("&&", "||") else {term} for term in (fix, mine))
    if len(ours - theirs) == len(theirs - ours) == 1 and ours & theirs:
        return _condition_more(*(ours - theirs), *(theirs - ours))
    if ours < theirs:
        return "R10" if all(map(_asks_for_null, theirs - ours)) else "R11"
    if {_loose(term) for term in theirs} < {_loose(term) for term in ours} and not theirs < ours:
        return "R13"
    return "R12" if theirs < ours else None


def _loose(term: Term) -> Term:
    """Return a comparison that includes its bound."""
    return ("<=", *term[1:]) if term[0] == "<" else term


def _without_default(fix: Term, mine: Term) -> str | None:
    """Explain a branch instead of a ternary operator, one of whose values a new variable has anyway."""
    if fix[0] != "assign" or fix[3][0] != "choice" or mine[0] != "if" or mine[3] != ("block",) or len(mine[2]) != 2:
        return None
    _, condition, first, second = fix[3]
    for kept, default, asked in ((first, second, condition), (second, first, REWRITES["R7"](("not", condition)))):
        ours, theirs = ({*term[1:]} if term[0] == "&&" else {term} for term in (asked, mine[1]))
        if mine[2][1] == (*fix[:3], kept) and default in (NULL, FALSE, ("number", "0")) and ours <= theirs:
            return "R4" if all(map(_asks_for_null, theirs - ours)) else None
    return None


def _asks_for_null(term: Term) -> bool:
    return NULL in term if term[0] in ("==", "!=") else term[0] in ("&&", "||") and all(map(_asks_for_null, term[1:]))


def _other_word(fix: Term, mine: Term) -> str | None:
    """Explain two expressions at the same place."""
    if fix[0] == mine[0] and fix[0] in ("call", "new"):
        head = 3 if fix[0] == "call" else 2
        if fix[:head] == mine[:head] and len(mine) < len(fix) and set(mine[head:]) <= set(fix[head:]):
            return "R19"
    if fix[0] in ("<", "<=") and mine[0] in ("<", "<=") and fix[1:] == mine[1:]:
        return "R13"
    if fix[0] == mine[0] == "number":
        return "R13" if is_near(fix, mine) else None
    if not (_is_word(fix) and _is_word(mine)):
        is_new = mine[0] in ("new", "empty", "array_creation_expression") or mine == ("text", '""')
        return "R3" if _is_word(fix) and is_new else None
    getters = [term for term in (fix, mine) if term[0] == "call" and term[1] == NO_RECEIVER]
    return "R14" if len(getters) == 1 else "R1"


def _is_word(term: Term) -> bool:
    return term[0] in ("name", "field") or (term[0] == "call" and len(term) == 3)
