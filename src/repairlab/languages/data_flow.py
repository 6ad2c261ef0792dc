"""Where values come from: reaching definitions over the tree of any text, as pairs of names.

Statements are followed in the order in which they run; branches are joined, loops are gone through twice, what follows a return is
not reached. Calls are opaque, but may change a variable whose address they are given.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from tree_sitter import Node

from repairlab.languages.facts import Defines, FlowNodes, flow_of
from repairlab.languages.parser import Parsed

State = dict[str, frozenset[int]]
"""Name → where the values it may have now were assigned."""
Relation = Literal["comesFrom", "computedFrom"]
_EQUALS = ("=", ":=", None)
_GOTO, _LABELLED = "goto_statement", "labeled_statement"
_JUMPS = {"break_statement": 0, "continue_statement": 1}


class FlowEdge(NamedTuple):
    """A value of `target` is one of `source`, or is computed from it."""

    target: str
    relation: Relation
    source: str


class _Read(NamedTuple):
    at: int
    name: str


class _Step(NamedTuple):
    state: State | None
    """None: not reached."""
    reads: tuple[_Read, ...]


def data_flow(language: str, source: str) -> tuple[FlowEdge, ...]:
    """Return the flow between the variables of a text, in order; empty for one that is nested too deeply."""
    follower = _Follower(Parsed(language, source), flow_of(language))
    try:
        follower.follow(follower.parsed.root, {})
    except RecursionError:
        return ()
    return follower.edges()


class _Follower:
    """One walk through a tree."""

    def __init__(self, parsed: Parsed, table: FlowNodes) -> None:
        self.parsed, self.table = parsed, table
        self._names: dict[int, str] = {}
        self._found: dict[tuple[int, Relation, int], None] = {}
        self._jumps: list[tuple[list[State], list[State]]] = [([], [])]
        """For each surrounding loop or switch: the states at its breaks and at its continues."""
        self._switched: list[State] = []
        self._gotos: list[State] = []
        self._declared: list[set[str]] = [set()]
        self._handlers = {
            kind: handler
            for kinds, handler in (
                (table.members, self._member),
                (table.conditions, self._condition),
                (table.switches, self._switch),
                (table.cases, self._case),
                (table.tries, self._try),
                (table.loops, self._loop),
                (table.for_each, self._for_each),
                (_JUMPS, self._jump),
                ((_GOTO,), self._goto),
                ((_LABELLED,), self._labelled),
                ((table.declaration,), self._declaration),
                (table.calls, self._call),
                (table.updates, self._update),
                (table.parameters, self._parameters),
                (table.assignments, self._assignment),
                (table.declarations, self._new_variable),
                (table.functions, self._function),
            )
            for kind in kinds
        }

    def edges(self) -> tuple[FlowEdge, ...]:
        names = self._names
        return tuple(FlowEdge(names[target], relation, names[source]) for target, relation, source in sorted(self._found))

    def follow(self, node: Node, state: State | None) -> _Step:
        if state is None:
            state = self._entered(node)
        if state is None or node.type in self.table.literals:
            return _Step(state, ())
        if not node.child_count:
            return self._read(node, state)
        return self._scope(node, state) if node.type in self.table.blocks else self._inside(node, state)

    def _entered(self, node: Node) -> State | None:
        """Return the state that may reach an unreachable statement anyway: a case, or one with a label."""
        if node.type in self.table.cases and self._switched:
            return self._switched[-1]
        return _join(*self._gotos) if node.type == _LABELLED else None

    def _inside(self, node: Node, state: State) -> _Step:
        handler = self._handlers.get(node.type)
        if handler is not None:
            return handler(node, state)
        step = self._all(node.named_children, state)
        return _Step(None, step.reads) if node.type in self.table.ends else step

    def _all(self, nodes: Iterable[Node], state: State | None) -> _Step:
        reads: list[_Read] = []
        for node in nodes:
            step = self.follow(node, state)
            state = step.state
            reads += step.reads
        return _Step(state, tuple(reads))

    def _read(self, node: Node, state: State) -> _Step:
        if node.type not in self.table.names:
            return _Step(state, ())
        name, at = self.parsed.text(node), node.start_byte
        self._names[at] = name
        for source in state.get(name, ()):
            self._found[at, "comesFrom", source] = None
        return _Step(state, (_Read(at, name),))

    def _member(self, node: Node, state: State) -> _Step:
        return self._all(_fields(node, self.table.members[node.type]), state)

    def _jump(self, node: Node, state: State) -> _Step:
        self._jumps[-1][_JUMPS[node.type]].append(state)
        return _Step(None, ())

    def _goto(self, node: Node, state: State) -> _Step:
        del node  # its label decides nothing: anything with one may be reached from an earlier goto
        self._gotos.append(state)
        return _Step(None, ())

    def _labelled(self, node: Node, state: State) -> _Step:
        return self._all(node.named_children[1:], _join(state, *self._gotos))

    def _function(self, node: Node, state: State) -> _Step:
        around, self._jumps = self._jumps, [([], [])]
        declared, self._declared = self._declared, [set()]
        gotos, self._gotos = self._gotos, []
        parameters = node.child_by_field_name("parameters")
        start = state
        if parameters is not None and parameters.type in self.table.names:  # x -> x + 1
            start = self._define([parameters], (), state)
        elif parameters is not None:
            start = self.follow(parameters, state).state or {}
        body = node.child_by_field_name("body")
        others = [part for part in node.named_children if part not in (parameters, body)] if parameters is None else []
        self._all([*others, *([] if body is None else [body])], start)
        self._jumps, self._declared, self._gotos = around, declared, gotos
        return _Step(state, ())

    def _scope(self, node: Node, state: State) -> _Step:
        self._declared.append(set())
        step = self._inside(node, state)
        hidden = self._declared.pop()
        if step.state is None or not hidden:
            return step
        kept = {name: places for name, places in step.state.items() if name not in hidden}
        return _Step(kept | {name: state[name] for name in hidden if name in state}, step.reads)

    def _assignment(self, node: Node, state: State) -> _Step:
        return self._assign(node, self.table.assignments[node.type], state, is_new=False)

    def _new_variable(self, node: Node, state: State) -> _Step:
        return self._assign(node, self.table.declarations[node.type], state, is_new=True)

    def _assign(self, node: Node, defines: Defines, state: State, *, is_new: bool) -> _Step:
        target = node.child_by_field_name(defines.name)
        value = node.child_by_field_name(defines.value) if defines.value else None
        if target is None:
            return self._all(node.named_children, state)
        pairs = self._pairs(target, value)
        if pairs:
            steps = [self.follow(part, state) for _, part in pairs]
            after: State | None = state
            for (name, _), step in zip(pairs, steps, strict=True):
                after = self._target(name, step.reads, after or {}, is_new=is_new)
            return _Step(after, tuple(read for step in steps for read in step.reads))
        values = [value] if value is not None else [] if defines.value else [item for item in node.named_children if item != target]
        step = self._all(values, state)
        reads = step.reads
        operator = node.child_by_field_name("operator")
        is_compound = "augmented" in node.type or (operator is not None and operator.type not in _EQUALS)
        if is_compound:
            reads += self._all([target], step.state).reads
        return _Step(self._target(target, reads, step.state or {}, is_new=is_new), reads)

    def _pairs(self, target: Node, value: Node | None) -> list[tuple[Node, Node]]:
        tuples = self.table.tuples
        if (
            value is None
            or target.type not in tuples
            or value.type not in tuples
            or target.named_child_count != value.named_child_count
        ):
            return []
        return list(zip(target.named_children, value.named_children, strict=True))

    def _target(self, target: Node, sources: Sequence[_Read], state: State, *, is_new: bool) -> State:
        """Define the left side: a variable, several, or a part of one."""
        if target.type in self.table.parentheses and target.named_child_count == 1:
            return self._target(target.named_children[0], sources, state, is_new=is_new)
        if target.type in self.table.places:
            around = self._all([target], state).reads
            base = next(self._leaves(target), None)
            return state if base is None else self._define([base], (*sources, *around), state, is_part=True)
        if target.type in self.table.tuples:
            for part in target.named_children:
                state = self._target(part, sources, state, is_new=is_new)
            return state
        names = list(self._leaves(_declared_name(target)))
        if is_new:
            self._declared[-1].update(self.parsed.text(name) for name in names)
        return self._define(names, sources, state)

    def _define(self, names: Sequence[Node], sources: Sequence[_Read], state: State, *, is_part: bool = False) -> State:
        state = dict(state)
        for node in names:
            name, at = self.parsed.text(node), node.start_byte
            self._names[at] = name
            for source in sources:
                if source.at != at:
                    self._found[at, "computedFrom", source.at] = None
            state[name] = state.get(name, frozenset()) | {at} if is_part else frozenset({at})
        return state

    def _leaves(self, node: Node) -> Iterator[Node]:
        """Yield the names that are variables within a node."""
        if node.type in self.table.members:
            for part in _fields(node, self.table.members[node.type]):
                yield from self._leaves(part)
        elif not node.child_count:
            if node.type in self.table.names:
                yield node
        else:
            for part in node.named_children:
                yield from self._leaves(part)

    def _declaration(self, node: Node, state: State) -> _Step:
        step = _Step(state, ())
        for part in node.children_by_field_name("declarator"):
            if part.type in self.table.declarations:
                step = self.follow(part, step.state)
            elif "function" not in part.type:
                names = list(self._leaves(_declared_name(part)))
                self._declared[-1].update(self.parsed.text(name) for name in names)
                step = _Step(self._define(names, (), step.state or {}), step.reads)
        return step

    def _parameters(self, node: Node, state: State) -> _Step:
        field = self.table.parameters[node.type]
        if field:
            name = node.child_by_field_name(field)
            return _Step(state if name is None else self._target(name, (), state, is_new=True), ())
        after: State | None = state
        for part in node.named_children:
            if part.type in self.table.declarations or part.type in self.table.parameters:
                after = self.follow(part, after).state
            else:
                after = self._define(list(self._leaves(part)), (), after or {})
        return _Step(after, ())

    def _update(self, node: Node, state: State) -> _Step:
        step = self._all(node.named_children, state)
        base = next(self._leaves(node), None)
        if base is None:
            return step
        self._found[base.start_byte, "computedFrom", base.start_byte] = None
        return _Step(self._define([base], step.reads, state, is_part=node.named_children[0].type in self.table.places), step.reads)

    def _call(self, node: Node, state: State) -> _Step:
        called = node.child_by_field_name(self.table.calls[node.type])
        is_name = called is not None and called.type in self.table.names
        step = self._all([part for part in node.named_children if not (is_name and part == called)], state)
        arguments = node.child_by_field_name("arguments")
        after = step.state
        for part in arguments.named_children if arguments is not None else ():
            base = next(self._leaves(part), None)
            if part.type == self.table.reads_address and part.children[0].type == "&" and base is not None and after is not None:
                after = self._define([base], step.reads, after, is_part=True)
        return _Step(after, step.reads)

    def _condition(self, node: Node, state: State) -> _Step:
        fields = self.table.conditions[node.type]
        branches = [part for field in fields for part in node.children_by_field_name(field)]
        first = self._all([part for part in node.named_children if part not in branches], state)
        steps = [self.follow(part, first.state) for part in branches]
        is_whole = len(fields) > 1 and len(branches) > 1 and branches[-1].type not in self.table.conditions
        is_whole = is_whole or (len(branches) > 1 and branches[-1].type == node.type)
        ends = [step.state for step in steps] if is_whole else [first.state, *(step.state for step in steps)]
        return _Step(_join(*ends), (*first.reads, *(read for step in steps for read in step.reads)))

    def _case(self, node: Node, state: State) -> _Step:
        return self._all(node.named_children, _join(state, self._switched[-1] if self._switched else None))

    def _switch(self, node: Node, state: State) -> _Step:
        self._jumps.append(([], self._jumps[-1][1]))
        self._switched.append(state)
        step = self._all(node.named_children, state)
        self._switched.pop()
        breaks, _ = self._jumps.pop()
        return _Step(_join(state, step.state, *breaks), step.reads)

    def _try(self, node: Node, state: State) -> _Step:
        after: State | None = state
        reads: list[_Read] = []
        ends: list[State | None] = []
        for part in node.named_children:
            is_handler = part.type in self.table.handlers
            if not is_handler and ends:  # the last part always runs
                after, ends = _join(after, *ends), []
            step = self.follow(part, _join(state, after) if is_handler else after)
            reads += step.reads
            if is_handler:
                ends.append(step.state)
            else:
                after = step.state
        return _Step(_join(after, *ends), tuple(reads))

    def _loop(self, node: Node, state: State) -> _Step:
        fields = self.table.loops[node.type]
        again = [part for field in fields for part in node.children_by_field_name(field)]
        body = node.child_by_field_name("body")
        others = [part for part in node.named_children if part not in again]
        before = [part for part in others if body is None or part.start_byte < body.start_byte]
        start = self._all(before, state)
        step = self._rounds(again, start.state)
        end = step.state if fields[0] == "body" else _join(start.state, step.state)
        rest = self._all([part for part in others if part not in before], end)
        return _Step(rest.state, (*start.reads, *step.reads, *rest.reads))

    def _for_each(self, node: Node, state: State) -> _Step:
        defines = self.table.for_each[node.type]
        target, value = node.child_by_field_name(defines.name), node.child_by_field_name(defines.value)
        read = self._all([] if value is None else [value], state)
        start = read.state or {}
        body = node.child_by_field_name("body")
        inside = start if target is None else self._target(target, read.reads, start, is_new=bool(self.table.blocks))
        step = self._rounds([] if body is None else [body], inside)
        rest = self._all(node.children_by_field_name("alternative"), _join(start, step.state))
        return _Step(rest.state, (*read.reads, *step.reads, *rest.reads))

    def _rounds(self, again: Sequence[Node], state: State | None) -> _Step:
        breaks: list[State] = []
        step = _Step(state, ())
        for _ in range(2):
            self._jumps.append(([], []))
            step = self._all(again, _join(state, step.state))
            broken, continued = self._jumps.pop()
            breaks += broken
            step = _Step(_join(step.state, *continued), step.reads)
        return _Step(_join(step.state, *breaks), step.reads)


def _fields(node: Node, fields: Sequence[str]) -> list[Node]:
    return [part for field in fields for part in node.children_by_field_name(field)]


def _declared_name(node: Node) -> Node:
    """Return what a declarator declares: `a` of `*a[n]`."""
    inner = node.child_by_field_name("declarator")
    return node if inner is None else _declared_name(inner)


def _join(*states: State | None) -> State | None:
    reached = [state for state in states if state is not None]
    if not reached:
        return None
    joined = dict(reached[0])
    for state in reached[1:]:
        for name, places in state.items():
            joined[name] = joined.get(name, frozenset()) | places
    return joined
