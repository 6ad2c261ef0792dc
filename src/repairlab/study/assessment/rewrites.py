"""Rules of NPR4J's Table 4 that say when two programs do the same: each rewrites a term into one form for all its spellings.

A proposal is not a proof: calling `a < b` the negation of `a >= b` ignores NaN.
"""

import operator
import re
from collections.abc import Callable, Mapping, Set
from fractions import Fraction

from repairlab.study.assessment.normal_terms import FALSE, NO_RECEIVER, SELF, TRUE, Term, subterms

_BOXES = {
    "Integer": "int",
    "Long": "long",
    "Double": "double",
    "Float": "float",
    "Boolean": "boolean",
    "Character": "char",
    "Short": "short",
    "Byte": "byte",
}
_EXACT = ("BigDecimal", "BigInteger")
_KINDS = {"List": ("ArrayList", "LinkedList"), "Map": ("HashMap", "TreeMap"), "Set": ("HashSet", "TreeSet")}
_EMPTY = {name: kind for kind, names in _KINDS.items() for name in (*names, f"empty{kind}")}
_CONSTANTS: Mapping[Term, Term] = {
    **{("name", name, word): ("number", value) for name in _EXACT for word, value in (("ZERO", "0"), ("ONE", "1"), ("TEN", "10"))},
    **{("name", name, word.upper()): (word,) for name in ("Boolean", "boolean") for word in ("true", "false")},
}
_OPPOSITE = {"<": ">=", ">": "<=", "<=": ">", ">=": "<", "==": "!=", "!=": "=="}
_LOOPS = frozenset({"for_statement", "enhanced_for_statement", "while_statement", "for_in_statement"})
_CONTINUES = [(("block", ("name", text)), ("block",)) for text in ("continue;", "continue")]
_COMPARES: Mapping[str, Callable[..., bool]] = {
    "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
_FLOATING = re.compile(r"[.dDfF]")
_TOLERANCE = Fraction(1, 1000)
_JUMPS = ("return", "throw", "break_statement", "continue_statement")


def alias(term: Term) -> Term:
    """R1: a field with or without its object, a type with or without its box."""
    if term[0] == "field" and term[1] in SELF:
        return ("name", term[2])
    if term[0] == "name" and term[1] in _BOXES:
        return ("name", _BOXES[term[1]])
    return term


def _message(term: Term) -> Term:
    """R2: an exception without what it says."""
    if term[0] != "throw" or len(term) < 2:
        return term
    made = term[1]
    if made[0] == "new":
        return ("throw", made[:2])
    return ("throw", made[:3]) if made[0] == "call" else term


def _fresh(term: Term) -> Term:
    """R3: a new value that equals a constant, a boxed one, or one that is also empty."""
    if term[0] == "new":
        name = term[1].partition("<")[0]
        if name == "String" and len(term) < 4:
            return term[2] if len(term) == 3 else ("text", '""')
        if name in _EMPTY and len(term) == 2:
            return ("empty", _EMPTY[name])
        if name in (*_BOXES, *_EXACT) and len(term) == 3:
            return ("number", term[2][1].strip('"')) if name in _EXACT and term[2][0] == "text" else term[2]
    if term[0] == "call" and term[1][-1] == "Collections" and term[2] in _EMPTY:
        return ("empty", _EMPTY[term[2]])
    if term[0] == "call" and term[2] == "valueOf" and len(term) == 4 and term[1][-1] in (*_BOXES, *_BOXES.values(), *_EXACT):
        return term[3]  # type: ignore[no-any-return]
    if term[0] == "field" and term[1][0] == "name" and (*term[1], term[2]) in _CONSTANTS:
        return _CONSTANTS[(*term[1], term[2])]
    return term


def _ternary(term: Term) -> Term:
    """R4: both branches do the same with one of two values."""
    if term[0] == "block":
        return _joined(term)
    if term[0] == "choice" and len(term) == 4:
        return _chosen(*term[1:], kinds=_ASKED) or term
    if term[0] != "if" or len(term) != 4 or len(term[2]) != 2 or len(term[3]) != 2:
        return term
    return _chosen(term[1], term[2][1], term[3][1]) or term


_ASKED = ("call", "new")


def _chosen(condition: Term, then: Term, other: Term, *, kinds: tuple[str, ...] = ("return", "assign", "call")) -> Term | None:
    """Return one term with a choice where two of one of these kinds differ; None if they differ in more than one value."""
    if then[0] != other[0] or then[0] not in kinds or len(then) != len(other):
        return None
    places = [place for place, parts in enumerate(zip(then, other, strict=True)) if parts[0] != parts[1]]
    if len(places) != 1 or not isinstance(then[places[0]], tuple) or (then[0] == "assign" and places != [3]):
        return None
    (place,) = places
    inner = _chosen(condition, then[place], other[place], kinds=_ASKED)
    return (*then[:place], inner or ("choice", condition, then[place], other[place]), *then[place + 1 :])


def _joined(block: Term) -> Term:
    """Join neighbours from behind: `if (c) return a; return b;`, and a value with the branch that replaces it."""
    statements = list(block[1:])
    for place in range(len(statements) - 2, -1, -1):
        before, after = statements[place : place + 2]
        joined = None
        if after[0] == "return" and before[0] == "if" and before[3:] == (("block",),) and len(before[2]) == 2:
            joined = _chosen(before[1], before[2][1], after)
        elif after[0] == "assign" and after[1] == "=" and before[-1:] == (("variable_declarator", after[2]),):
            joined = (*before[:-1], ("variable_declarator", after[2], ("name", "="), after[3]))
        elif after[0] == "if" and after[3:] == (("block",),) and len(after[2]) == 2 and after[2][1][:2] == ("assign", "="):
            _, _, name, value = after[2][1]
            first = before[-1] if before[-1][0] == "variable_declarator" else before
            if first[:-1] in (("variable_declarator", name, ("name", "=")), ("assign", "=", name)) and not _reads(after[1], name):
                made = (*first[:-1], ("choice", after[1], value, first[-1]))
                joined = made if first is before else (*before[:-1], made)
        if joined is not None:
            statements[place : place + 2] = [joined]
    return ("block", *statements)


def _reads(term: Term, name: Term) -> bool:
    return name in subterms(term)


def _condition(term: Term) -> Term:  # noqa: PLR0911  # one case per form of a condition
    """R7: one form for all spellings of a condition."""
    kind = term[0]
    if kind == "not":
        return _negated(term[1])
    if kind in (">", ">="):
        return ("<" if kind == ">" else "<=", term[2], term[1])
    if kind in ("==", "!=") and len(term) == 3:
        for one, other in ((term[1], term[2]), (term[2], term[1])):
            if one in (TRUE, FALSE):
                return other if (one == TRUE) == (kind == "==") else _negated(other)
        return (kind, *sorted(term[1:], key=repr))
    if kind in ("&&", "||"):
        return _parts(kind, term[1:])
    if kind == "choice" and len(term) == 4:
        if term[2] == TRUE or term[3] == FALSE:
            return _parts("||" if term[2] == TRUE else "&&", (term[1], term[3] if term[2] == TRUE else term[2]))
        if term[1][0] in ("!=", "not"):
            return ("choice", _negated(term[1]), term[3], term[2])
        if term[2] == FALSE or term[3] == TRUE:
            return _parts("&&" if term[2] == FALSE else "||", (_negated(term[1]), term[3] if term[2] == FALSE else term[2]))
    if kind == "if" and len(term) == 4:
        return _nested(term)
    if kind == "block":
        return _same_branches(term)
    return _without_continue(term) if kind in _LOOPS and term[-1][0] == "block" else term


def _same_branches(block: Term) -> Term:
    """Join `if (a) return x; if (b) return x;`, and leave early where a branch of `if` and `else` does."""
    kept: list[Term] = []
    statements = [part for statement in block[1:] for part in _left_early(statement)]
    for statement in statements:
        before = kept[-1] if kept else statement
        is_like = before[0] == statement[0] == "if" and before[2:] == statement[2:] and len(statement) == 4
        if kept and is_like and statement[3] == ("block",) and statement[2][-1][0] in _JUMPS:
            kept[-1] = ("if", _parts("||", (before[1], statement[1])), *statement[2:])
        else:
            kept.append(statement)
    return ("block", *kept)


def _left_early(statement: Term) -> tuple[Term, ...]:
    if statement[0] != "if" or len(statement) != 4 or min(len(statement[2]), len(statement[3])) < 2:
        return (statement,)
    _, condition, then, other = statement
    if then[-1][0] in _JUMPS:
        return (("if", condition, then, ("block",)), *other[1:])
    return (("if", _negated(condition), other, ("block",)), *then[1:]) if other[-1][0] in _JUMPS else (statement,)


def _without_continue(loop: Term) -> Term:
    """Return a loop whose body has a branch instead of `if (c) continue;`."""
    body = loop[-1][1:]
    for place in range(len(body) - 1, -1, -1):
        if body[place][0] == "if" and body[place][2:] in _CONTINUES:
            rest = ("block", *body[place + 1 :])
            body = (*body[:place], _nested(("if", _negated(body[place][1]), rest, ("block",))))
    return (*loop[:-1], ("block", *body))


def _nested(term: Term) -> Term:
    _, condition, then, other = term
    if len(then) == 1 and len(other) > 1:
        return ("if", _negated(condition), other, then)
    if len(then) == 2 and then[1][0] == "if" and len(then[1]) == 4 and other == then[1][3] == ("block",):
        return ("if", _parts("&&", (condition, then[1][1])), then[1][2], other)
    if len(other) > 1 and condition[0] in ("!=", "not"):
        return ("if", _negated(condition), other, then)
    return term


def _negated(term: Term) -> Term:
    if term[0] == "not":
        return term[1]  # type: ignore[no-any-return]
    if term in (TRUE, FALSE):
        return FALSE if term == TRUE else TRUE
    if term[0] in _OPPOSITE and len(term) == 3:
        return _condition((_OPPOSITE[term[0]], *term[1:]))
    if term[0] in ("&&", "||"):
        return _parts("||" if term[0] == "&&" else "&&", tuple(_negated(part) for part in term[1:]))
    return ("not", term)


def _parts(kind: str, parts: tuple[Term, ...]) -> Term:
    """Return a conjunction or disjunction without nesting, order, repetition and parts that another part implies."""
    flat = {inner for part in parts for inner in (part[1:] if part[0] == kind else (part,))}
    neutral, deciding = (TRUE, FALSE) if kind == "&&" else (FALSE, TRUE)
    if deciding in flat or any(_negated(part) in flat for part in flat) or (kind == "&&" and _contradict(flat)):
        return deciding
    flat.discard(neutral)
    other = "||" if kind == "&&" else "&&"
    kept = sorted((part for part in flat if part[0] != other or not flat & set(part[1:])), key=repr)
    if not kept:
        return neutral
    return kept[0] if len(kept) == 1 else (kind, *kept)


def _contradict(parts: Set[Term]) -> bool:
    """Whether two comparisons of a conjunction exclude each other: `a < b && b < a`, `a == 1 && a == 2`."""
    strict = {part[1:] for part in parts if part[0] == "<"} | {part[:0:-1] for part in parts if part[0] == ">"}
    equal = [(one, other) for part in parts if part[0] == "==" for one, other in (part[1:], part[:0:-1]) if one[0] != "number"]
    numbers = [(one, _number(other)) for one, other in equal if _number(other) is not None]
    return (
        any(pair[::-1] in strict for pair in strict)
        or any(pair in strict for pair in equal)
        or len({one for one, _ in numbers}) < len(set(numbers))
    )


def _early(term: Term) -> Term:
    """R9: a value that is returned at once, or with the others at the end."""
    if term[0] != "block" or len(term) < 3:
        return term
    statements = list(term[1:])
    while len(statements) > 1 and statements[-1][0] == "return" and len(statements[-1]) == 2:
        before, value = statements[-2], statements[-1][1]
        if before[0] != "if" or len(before) != 4 or before[3] != ("block",) or len(before[2]) != 2:
            break
        early = before[2][1]
        if early == ("return", FALSE):
            joined = _parts("&&", (_negated(before[1]), _condition(value)))
        elif early == ("return", TRUE):
            joined = _parts("||", (_condition(before[1]), _condition(value)))
        else:
            break
        statements[-2:] = [("return", joined)]
    return ("block", *statements)


def _getter(term: Term) -> Term:
    """R14: a getter is its field."""
    if term[0] != "call" or len(term) != 3:
        return term
    for prefix in ("get", "is"):
        name = term[2].removeprefix(prefix)
        if name != term[2] and name[:1].isupper():
            field = name[0].lower() + name[1:]
            return ("name", field) if term[1] in (NO_RECEIVER, *SELF) else ("field", term[1], field)
    return term


def _dead(term: Term) -> Term:
    """R15: code that never runs is dropped."""
    if term[0] == "block":
        return _reached(term)
    if term[0] in ("&&", "||"):
        return _parts(term[0], term[1:])
    if term[0] in ("if", "choice") and len(term) == 4 and term[1] in (TRUE, FALSE):
        return term[2] if term[1] == TRUE else term[3]  # type: ignore[no-any-return]
    numbers = [_number(part) for part in term[1:]] if term[0] in _OPPOSITE and len(term) == 3 else []
    if None not in numbers and numbers:
        return TRUE if _COMPARES[term[0]](*numbers) else FALSE
    return ("block",) if term[0] in _LOOPS and FALSE in term else term


def _reached(block: Term) -> Term:
    """Return the statements of a block, with those of blocks in it, up to the first jump."""
    kept: list[Term] = []
    for statement in block[1:]:
        kept += statement[1:] if statement[0] == "block" else (statement,)
        if kept and kept[-1][0] in _JUMPS:
            break
    return ("block", *kept)


def _exact(term: Term) -> Term:
    """R13: a product instead of a division by a floating-point number, which may be less accurate."""
    if term[0] == "/" and len(term) == 3 and term[2][0] == "number" and _FLOATING.search(term[2][1]) and _number(term[2]):
        return _folded("*", (term[1], ("number", str(1 / (_number(term[2]) or 1)))))
    if term[0] in _OPPOSITE and len(term) == 3 and _number(term[2]) == 0 and term[1][0] == "call" and len(term[1]) == 5:
        _, receiver, name, *values = term[1]
        return (term[0], *values) if name == "compare" and receiver[-1] in ("Double", "Float") else _value(term)
    return _value(term)


def is_near(one: Term, other: Term) -> bool:
    """Whether two numbers are small, as tolerances are, or at most a quarter apart."""
    values = [abs(_number(term) or Fraction(0)) for term in (one, other)]
    return max(values) <= _TOLERANCE or min(values) >= max(values) * 3 / 4


def _value(term: Term) -> Term:  # one case per form of an operation
    """R16: one form for operations that have the same value."""
    if term[:2] == ("unary_expression", ("name", "-")) and len(term) == 3:
        return _folded("*", (("number", "-1"), term[2]))
    if term[0] in _OPPOSITE and len(term) == 3:
        return (term[0], *(part if _number(part) is None else ("number", str(_number(part))) for part in term[1:]))
    if term[0] == "assign" and term[1] not in ("=", ":="):
        return ("assign", "=", term[2], _value((term[1][:-1], term[2], term[3])))
    if term[0] == "call" and term[2:] == ("isEmpty",):
        return ("==", ("call", term[1], "length"), ("number", "0"))
    if term[0] in ("+", "*") and len(term) == 3:
        return _folded(term[0], term[1:])
    if term[0] == "-" and len(term) == 3:
        return _folded("+", (term[1], _folded("*", (("number", "-1"), term[2]))))
    if term[0] == "/" and len(term) == 3 and _number(term[2]) == 1:
        return term[1]  # type: ignore[no-any-return]
    return term


def _folded(kind: str, parts: tuple[Term, ...]) -> Term:
    """Return a sum or product without nesting; its numbers are combined, texts keep their order."""
    flat = [inner for part in parts for inner in (part[1:] if part[0] == kind else (part,))]
    if kind == "+" and any(part[0] == "text" for part in flat):
        return (kind, *flat)
    neutral = Fraction(0 if kind == "+" else 1)
    total, kept = neutral, []
    for part in flat:
        number = _number(part)
        if number is None:
            kept.append(part)
        else:
            total = total + number if kind == "+" else total * number
    if kind == "*" and total == 0:
        return ("number", "0")
    if total != neutral:
        kept.append(("number", str(total)))
    kept.sort(key=repr)
    if not kept:
        return ("number", str(neutral))
    return kept[0] if len(kept) == 1 else (kind, *kept)


def _number(term: Term) -> Fraction | None:
    if term[0] != "number":
        return None
    try:
        return Fraction(term[1].rstrip("dDfFlLuU"))
    except (ValueError, ZeroDivisionError):
        return None


def _cast(term: Term) -> Term:
    """R17: a value with or without a cast."""
    return term[2] if term[0] == "cast" else term


REWRITES: Mapping[str, Callable[[Term], Term]] = {
    "R1": alias,
    "R2": _message,
    "R3": _fresh,
    "R4": _ternary,
    "R7": _condition,
    "R9": _early,
    "R14": _getter,
    "R15": _dead,
    "R16": _value,
    "R13": _exact,
    "R17": _cast,
}
"""R13 includes R16."""
