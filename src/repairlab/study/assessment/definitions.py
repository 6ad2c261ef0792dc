"""Replace names of a program by what they stand for: a call by the method's body, a variable by its initial value."""

from collections import Counter
from collections.abc import Mapping

from repairlab.study.assessment.normal_terms import NO_RECEIVER, SELF, Term, rewritten, subterms
from repairlab.study.assessment.rewrites import alias

Definition = tuple[tuple[str, ...], Term]
"""Parameters and body of a method."""
_METHODS = frozenset({"method_declaration", "function_definition", "function_declaration", "method_definition"})


def definition_of(method: Term) -> tuple[str, Definition] | None:
    """Return a method's name, parameters and body; None if its form differs."""
    heads = [place for place, part in enumerate(method) if place and (part == ("name", "()") or "parameters" in part[0])]
    if method[0] not in _METHODS or len(heads) != 1 or method[-1][0] != "block" or method[heads[0] - 1][0] != "name":
        return None
    given = [] if method[heads[0]] == ("name", "()") else method[heads[0]][1:]
    names = tuple(part[-1][1] if isinstance(part[-1], tuple) else part[-1] for part in given)
    return (method[heads[0] - 1][1], (names, method[-1])) if all(isinstance(name, str) for name in names) else None


def unrolled(term: Term, methods: Mapping[str, Definition]) -> Term:
    """R5: replace calls of methods of the file by their bodies, or by the value that is all they have."""

    def unroll(part: Term) -> Term:
        body = _body(("return", part), methods) if part[0] == "call" else None
        if body and len(body) == 1 and body[0][0] == "return" and len(body[0]) == 2:
            return body[0][1]  # type: ignore[no-any-return]
        if part[0] != "block":
            return part
        return ("block", *(inner for statement in part[1:] for inner in _body(statement, methods) or (statement,)))

    return rewritten(term, unroll)


def _body(statement: Term, methods: Mapping[str, Definition]) -> tuple[Term, ...] | None:
    is_returned = statement[0] == "return" and len(statement) == 2
    call = statement[1] if is_returned else statement
    if call[0] != "call" or call[1] not in (NO_RECEIVER, *SELF) or call[2] not in methods:
        return None
    names, body = methods[call[2]]
    if len(names) != len(call) - 3 or (not is_returned and any(part[0] == "return" for part in subterms(body))):
        return None
    given: dict[Term, Term] = {("name", name): value for name, value in zip(names, call[3:], strict=True)}
    return rewritten(body, lambda part: given.get(part, part))[1:]


def with_fields(term: Term, methods: Mapping[str, Definition]) -> Term:
    """R14: replace calls of methods that only return a field by the field."""

    def read(part: Term) -> Term:
        if part[0] != "call" or len(part) != 3 or part[1] not in (NO_RECEIVER, *SELF) or part[2] not in methods:
            return part
        values = {inner[1] for inner in subterms(methods[part[2]][1]) if inner[0] == "return" and len(inner) == 2}
        value: Term = values.pop() if len(values) == 1 else part
        return alias(value) if value[0] in ("name", "field") else part

    return rewritten(term, read)


def variables_in(method: Term) -> dict[str, Term]:
    """Return the initial values of the variables that a method declares and sets once."""
    made = {part[1][1]: part[3] for part in subterms(method) if part[0] == "variable_declarator" and len(part) == 4}
    declared = Counter(part[1][1] for part in subterms(method) if part[0] == "variable_declarator" and len(part) > 1)
    changed = {part[2][1] for part in subterms(method) if part[0] == "assign" and len(part[2]) > 1}
    return {name: value for name, value in made.items() if isinstance(name, str) and declared[name] == 1 and name not in changed}


def uses(method: Term) -> frozenset[str]:
    """Return the names that occur at two places or more."""
    often = Counter(part[1] for part in subterms(method) if part[0] == "name" and len(part) == 2)
    return frozenset(name for name, n in often.items() if n > 1)


def with_values(method: Term, values: Mapping[str, Term]) -> Term:
    """R3: replace variables by their initial values and remove their declarations."""

    def put(part: Term) -> Term:
        if part[0] == "block":
            return ("block", *(statement for statement in part[1:] if not _declares(statement, values)))
        return values.get(part[1], part) if part[0] == "name" and len(part) == 2 else part

    return rewritten(method, put)


def _declares(statement: Term, values: Mapping[str, Term]) -> bool:
    """Return whether a statement only declares one of these variables, which may have become its value."""
    last = statement[-1]
    if "declaration" not in statement[0] or not isinstance(last, tuple) or last[0] != "variable_declarator" or len(last) != 4:
        return False
    return last[1] == last[3] or (last[1][0] == "name" and last[1][1] in values)
