"""From the localisation of a problem to the sites and gaps where patterns work, most suspicious first."""

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from repairlab.core.problem import Problem, SpectrumProblem
from repairlab.core.text import Lines
from repairlab.repairers.templates import node_types
from repairlab.repairers.templates.code import Code, own_nodes
from repairlab.repairers.templates.fix_site import Gap, Site, enclosing_loop
from repairlab.repairers.templates.scope import Library, Scope

MAX_STATEMENTS = 150
"""Statements that are looked at when only the function or file is known; the least suspicious are left out."""


class WeightedSite(NamedTuple):
    """A site or gap with its weight: how likely the bug is there."""

    at: Site | Gap
    weight: float


def places(problem: Problem) -> list[WeightedSite]:
    """Return the places where a problem may be fixed."""
    texts = {problem.path: problem.source} | {file.path: file.text for file in problem.context if file.path != problem.path}
    codes = {
        path: Code(problem.language, path, text)
        for path, text in texts.items()
        if path == problem.path or _same_language(problem.path, path)
    }
    made: list[WeightedSite] = []
    if isinstance(problem, SpectrumProblem):
        finders = {
            path: _Finder(code, Library(code, [other for other in codes.values() if other is not code]))
            for path, code in codes.items()
        }
        for index, lines in enumerate(line for line in problem.suspects[:MAX_STATEMENTS] if line.path in finders):
            made += [WeightedSite(at, weight * _share(index)) for at, weight in finders[lines.path].on_lines(lines)]
        return made
    if problem.location is None:
        code = codes[problem.path]
        finder = _Finder(code, Library(code, [other for other in codes.values() if other is not code]))
        return finder.in_span(problem.target.span.start, problem.target.span.end)
    for path in dict.fromkeys(lines.path for lines in problem.location):
        if path not in codes:
            continue
        code = codes[path]
        finder = _Finder(code, Library(code, [other for other in codes.values() if other is not code]))
        for lines in problem.location:
            if lines.path == path:
                made += finder.on_lines(lines)
    return made


def _share(index: int) -> float:
    """Return how likely a place is by its rank among others."""
    return 1.0 / (1.0 + 0.05 * index)


def _same_language(path: str, other: str) -> bool:
    c_like = (".c", ".h", ".cc", ".cpp", ".hpp", ".cxx", ".hh")
    suffix = path[path.rfind(".") :]
    return other.endswith(c_like) if suffix in c_like else other.endswith(suffix)


class _Finder:
    """Finds the places of one file."""

    def __init__(self, code: Code, library: Library) -> None:
        self._code = code
        self._library = library
        self._scopes: dict[Node | None, Scope] = {}

    def scope(self, node: Node) -> Scope:
        function = self._code.function_of(node)
        if function not in self._scopes:
            self._scopes[function] = Scope(self._library, function)
        return self._scopes[function]

    def on_lines(self, lines: Lines) -> list[WeightedSite]:
        """Return the places of one range of lines; of a gap, the gap itself and the statements beside it."""
        first, last = lines.first, min(lines.last, self._code.n_lines)
        if last < first:
            return self._at_gap(first)
        touched = [node for node in self._code.statements if self._has_own_token(node, first, last)]
        touched = touched or [node for node in [self._innermost(self._code.line_start(first))] if node is not None]
        found = [WeightedSite(Site(self.scope(node), node, first, last), 1.0) for node in touched]
        if self._code.root.has_error or not touched:
            # Where the parser is lost, statements may not be found: the whole file, as far as it lies on the lines, is one more.
            found.append(WeightedSite(Site(self.scope(self._code.root), self._code.root, first, last), 0.9))
        if found:
            found += [WeightedSite(gap, 0.5) for gap in self._gaps(first, exact=False)]
            found += [WeightedSite(gap, 0.4) for gap in self._gaps(last + 1, exact=False)]
        else:
            found += [WeightedSite(gap, 1.0) for gap in self._gaps(first, exact=True)]
        return found

    def in_span(self, start: int, end: int) -> list[WeightedSite]:
        """Return the places of a function or file, ordered by how suspicious each kind of statement is."""
        code = self._code
        inside = [
            node
            for node in code.statements
            if start <= code.start(node) and code.end(node) <= end and node.type not in node_types.CLASSES
        ]
        inside.sort(key=lambda node: (_suspicion(node), node.start_byte))
        found = []
        for index, node in enumerate(inside[:MAX_STATEMENTS]):
            weight = _share(index)
            line = code.first_line(node)
            found.append(WeightedSite(Site(self.scope(node), node, line, code.last_line(node)), weight))
            if node.type in node_types.MOVABLE:
                found += [WeightedSite(gap, weight * 0.3) for gap in self._gaps(line, exact=False)]
        return found

    def _at_gap(self, line: int) -> list[WeightedSite]:
        found = [WeightedSite(gap, 1.0 if index == 0 else 0.6) for index, gap in enumerate(self._gaps(line, exact=True))]
        for gap in [place.at for place in found]:
            if isinstance(gap, Gap):
                for node, weight in ((gap.after, 0.3), (gap.before, 0.3)):
                    if node is not None and not any(isinstance(place.at, Site) and place.at.statement == node for place in found):
                        at = self._code.first_line(node)
                        found.append(WeightedSite(Site(self.scope(node), node, at, max(at, _header_end(self._code, node))), weight))
        return found

    def _gaps(self, line: int, *, exact: bool) -> Iterator[Gap]:
        """Yield the gap before a line, once for each indentation that a statement there could have, deepest first."""
        code = self._code
        after = self._beginning_at(line)
        options: dict[str, tuple[Node | None, Node | None]] = {}  # indentation → statement before, node whose loop counts
        for node in self._ending_before(line):
            is_open = code.last_line(node) >= line
            indent = code.indent(code.first_line(node)) + (code.indent_unit if is_open else "")
            if is_open and after is not None:
                indent = code.indent(code.first_line(after))
            options[indent] = (None if is_open else node, node if is_open else node.parent)
        if after is not None:
            options.setdefault(code.indent(code.first_line(after)), (None, after.parent))
        for indent, (before, holder) in (options or {"": (None, None)}).items():
            scope = self.scope(holder if holder is not None else code.root)
            loop = None if holder is None else enclosing_loop(holder)
            yield Gap(scope, code.line_start(line), indent, before, after, scope.function, loop, exact)

    def _has_own_token(self, statement: Node, first: int, last: int) -> bool:
        code = self._code
        if code.last_line(statement) < first or code.first_line(statement) > last:
            return False
        return any(
            code.first_line(node) <= last
            and code.last_line(node) >= first
            and not node.children
            and node.end_byte > node.start_byte
            for node in own_nodes(statement)
        )

    def _innermost(self, offset: int) -> Node | None:
        code = self._code
        around = [node for node in code.statements if code.start(node) <= offset < code.end(node)]
        return around[-1] if around else None

    def _beginning_at(self, line: int) -> Node | None:
        """Return the first statement that begins on the line, or on the next one that is not blank or a comment."""
        code = self._code
        for number in range(line, min(line + 5, code.n_lines) + 1):
            for node in code.statements:
                if code.first_line(node) == number:
                    return node
            text = code.line_text(number).strip()
            if text and not text.startswith(("//", "#", "/*", "*")):
                return None
        return None

    def _ending_before(self, line: int) -> list[Node]:
        """Return the statements that end (or whose bodies begin) last before the line, inner first."""
        code = self._code
        ends = [(code.last_line(node) if code.last_line(node) < line else code.first_line(node), node) for node in code.statements]
        last = max((at for at, _ in ends if at < line), default=0)
        return [node for at, node in reversed(ends) if at == last]


def _header_end(code: Code, statement: Node) -> int:
    return (
        code.last_line(statement) if statement.type in node_types.SIMPLE | node_types.DECLARATIONS else code.first_line(statement)
    )


def _suspicion(node: Node) -> int:
    order = (
        frozenset({"if_statement", "elif_clause", "while_statement", "for_statement", "do_statement"}),
        frozenset({"enhanced_for_statement", "for_range_loop", "return_statement"}),
        frozenset({"expression_statement", "local_variable_declaration", "declaration"}),
        frozenset({"function_definition", "method_declaration", "break_statement", "continue_statement", "assert_statement"}),
    )
    return next((index for index, types in enumerate(order) if node.type in types), len(order))
