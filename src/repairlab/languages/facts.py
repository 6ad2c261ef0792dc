"""What is true of a language without reading or running any of it, and what every other room asks instead of naming languages.

The folder of each language states its own in `facts.py`.
"""

import dataclasses
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Literal

from repairlab.core.errors import UserError
from repairlab.core.recipe import Build
from repairlab.core.record import record
from repairlab.registry import Parts, lacking, load


@record
class Probe:
    """How a program's file notes which of its statements run: each once per process, as a line of a file with its number.

    `@FILE@` stands for the number of the file, `@FIRST@` for that of its first statement, and `@COUNT@` for how many it has.
    `@PLACES@` are paths where the notes may lie, as strings.
    """

    call: str
    """A statement."""
    head: str = ""
    """Put before the first statement, or after `after`."""
    tail: str = ""
    """Put at the end."""
    after: tuple[str, ...] = ()
    """Nodes that must come first in a file."""


@record
class Idioms:
    """Pieces of code by purpose; `{0}` stands for a variable. What a language does not state is not tried."""

    probe: Probe | None = None
    extremes: tuple[str, ...] = ()
    """Initial values for a minimum or maximum."""
    releases: tuple[str, ...] = ()
    """Statements that release, empty or order a variable."""
    adders: tuple[str, ...] = ()
    """Methods that add to a collection."""
    appliers: tuple[str, ...] = ()
    """Functions that may be applied to a value."""
    conversions: tuple[str, ...] = ()
    """What both sides of a comparison may be turned into."""
    exceptions: tuple[str, ...] = ()
    families: str = ""
    """Functions that are mistaken for each other, one family between two semicolons."""
    appended: tuple[str, ...] = ()
    """What may be appended to a value."""
    constants: tuple[str, ...] = ()
    """What may be an additional argument."""
    known_names: str = ""
    """Names that need no declaration."""
    keywords: str = ""
    declared: tuple[str, ...] = ()
    """Types with which a variable may be declared."""
    types: tuple[str, ...] = ()
    """Types that stand for others."""
    casts: tuple[str, ...] = ()
    wider: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    """Types that a number's type may become."""


_OWN = {
    "python": "repairlab.languages.python.language:Python",
    "java": "repairlab.languages.java.language:Java",
    "c": "repairlab.languages.native.language:C",
    "cpp": "repairlab.languages.native.language:Cpp",
    "javascript": "repairlab.languages.javascript.language:JavaScript",
    "go": "repairlab.languages.go.language:Go",
}
"""The languages of this package, each with a folder of its name for its facts, and their classes."""

LANGUAGES: Parts[Callable[..., Any]] = Parts(
    "languages",
    "language",
    _OWN,
    check=lacking("facts", "toolchain", "test_bodies", callable_too=True),
)
"""Classes that take the machine's tools."""


@record
class CheckerStart:
    """How a checker program of a language is started so that an uncaught exception does not look like a wrong answer."""

    program: str
    """The checker's name if a bug does not give one."""
    file: str
    starts: str
    """What the tool chain runs as the program: it takes the checker as its first argument."""
    text: str
    is_file: bool = False
    """Whether a checker is named by its file."""


@record
class Facts:
    """What other parts need to know of a language."""

    name: str
    title: str
    """As people write it."""
    extensions: tuple[str, ...]
    file: str
    """Usual name of a single-file program."""
    self_test: str
    """A program that reads one line and prints it; it must work before the language is offered."""
    build: Build
    """How programs are built by default."""
    tools: Mapping[str, int]
    """Build tools, with the relative cost of a build."""
    frameworks: tuple[str, ...]
    error_line: str
    """Pattern of the line that says why a build failed."""
    fences: tuple[str, ...]
    """Names that models write on the fence of a block."""
    comments: tuple[str, ...]
    """What comments begin with; the first one ends with its line."""
    grammar: str
    """Module of the tree-sitter grammar."""
    packages: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Debian packages that a machine needs: for all its programs (empty name), and for build tools and frameworks besides."""
    flow: str = ""
    """Import path of what says how values flow through its programs (`FlowNodes`); empty: unknown."""
    rejection: str = ""
    """Import path of what takes the tree of a file, and returns what tells of the tree of a version of a part of it whether the
    compiler rejects it, though its syntax is right; empty: nothing is known of that."""
    opaque: str = r'"(?>(?:[^"\\\n]++|\\[\s\S])*)"|\'(?>(?:[^\'\\\n]++|\\.)*)\'|//[^\n]*+|/\*[\s\S]*?\*/'
    """Pattern of what may hide braces: strings and comments."""
    headers: tuple[str, ...] = ()
    """Endings of files that others include as text, besides its own extensions."""
    relatives: tuple[str, ...] = ()
    """Languages that share `headers` with it: in their trees such a file is theirs."""
    traits: frozenset[str] = frozenset()
    """Its name and the families that fix patterns know: `typed` declares variables with types, `c` is C or grew out of it."""
    dead_code: tuple[str, ...] = ()
    """Lines that do nothing wherever a statement may stand, with a new variable NAME."""
    idioms: Idioms = Idioms()
    """Pieces of code that fix templates insert."""
    is_indented: bool = False
    """Whether indentation makes blocks."""
    has_free_functions: bool = True
    """Whether functions may stand outside classes."""
    method_around: str = ""
    """What a lone method must stand in to be read: `class A {\\n%s\\n};`."""
    class_nodes: frozenset[str] = frozenset()
    """Nodes of the grammar that are classes and the like: what holds methods."""
    char_quote: str = "'"
    """What a character begins and ends with; empty if it is a string."""
    type_name: str = ""
    """Pattern of names that are types by custom, where nothing else tells; empty without such a custom."""
    scope_mark: str = ""
    """What joins a class and its method when that is defined outside."""
    import_line: str = ""
    """Pattern of a line that imports something."""
    imports: Literal["names", "last part", "whole"] = "whole"
    """What an import binds: the names it lists, the last part of a path, or nothing that it shows."""
    package_line: str = ""
    """Pattern of the line that must come before imports."""
    can_check: bool = True
    """Whether checkers can be written in it: one that fails must not end with an exit code that means a verdict."""
    checker: CheckerStart | None = None
    """How a checker is started; None if it is a program by itself."""


def names() -> tuple[str, ...]:
    """Return the names of all languages."""
    return tuple(LANGUAGES)


@cache
def facts(name: str) -> Facts:
    """Return the facts of a language by name; of our own, only these are loaded."""
    stated: Facts = load(f"repairlab.languages.{name}.facts:FACTS") if name in _OWN else LANGUAGES[name].facts  # type: ignore[attr-defined]
    return stated


def title(name: str) -> str:
    """Return a language's name as people write it; for an unknown one, the name itself."""
    return facts(name).title if name in LANGUAGES else name


@cache
def every() -> tuple[Facts, ...]:
    """Return the facts of all languages that work."""
    others = {part.name for part in LANGUAGES.of_others()}
    foreign = [made.facts for name, made in LANGUAGES.working() if name in others] if others else []  # type: ignore[attr-defined]
    return (*map(facts, _OWN), *foreign)


@cache
def by_extension() -> Mapping[str, str]:
    """Return the languages by file ending; the first language gets an ending that two claim."""
    return {ending: stated.name for stated in reversed(every()) for ending in stated.extensions}


@record
class Defines:
    """Where a node holds what it defines and its value: names of fields."""

    name: str
    value: str


@record
class CodexglueNodes:
    """How CodeXGLUE's extractor of data flow sees the language."""

    declarations: tuple[str, ...]
    assignments: tuple[str, ...]
    updates: tuple[str, ...]
    branches: tuple[str, ...]
    """Conditional statements, and their children that begin another branch."""
    other_branches: tuple[str, ...]
    for_each: Mapping[str, Defines]
    counting_loops: Mapping[str, str]
    """Loops whose head is followed twice except for their first part, and that part."""
    while_loops: tuple[str, ...]
    first: tuple[str, ...] = ()
    """What is followed before its neighbours: the loops of comprehensions."""
    pairwise: bool = False
    """Whether several names are assigned one by one: `a, b = b, a`."""
    needs_else: bool = False
    """Whether the version of 2020 fails on a condition without `else`."""


@record
class FlowNodes:
    """The nodes of a grammar by what they do to variables."""

    keywords: frozenset[str]
    """Words that weigh more in weighted n-grams."""
    names: frozenset[str]
    """Leaves that may be variables."""
    literals: frozenset[str]
    """Nodes that are one value, whatever they contain."""
    declarations: Mapping[str, Defines]
    """New variables with or without a value."""
    parameters: Mapping[str, str]
    """Parameters of functions: the field of the name; empty where every name in the node is one."""
    assignments: Mapping[str, Defines]
    """An empty `value` is all of the node but the name; an operator other than `=` also reads the variable."""
    updates: frozenset[str]
    """Steps such as `i++`."""
    members: Mapping[str, tuple[str, ...]]
    """Nodes in which only some fields are read: the object of a field, the value of a named argument."""
    calls: Mapping[str, str]
    """Calls: the field of what is called, which is not a variable if it is a mere name."""
    places: frozenset[str]
    """Targets that are a part of a variable: fields, elements, what a pointer points to."""
    conditions: Mapping[str, tuple[str, ...]]
    """Nodes with a condition first: the fields of the branches, one of which is taken."""
    switches: frozenset[str]
    cases: frozenset[str]
    tries: frozenset[str]
    handlers: frozenset[str]
    """Parts of a try statement that continue from wherever it was left."""
    loops: Mapping[str, tuple[str, ...]]
    """Loops: the repeated fields, in order."""
    for_each: Mapping[str, Defines]
    """Loops over the parts of a value."""
    ends: frozenset[str]
    """What never continues after itself: return, throw."""
    functions: frozenset[str]
    """What runs at another time than it is read."""
    blocks: frozenset[str]
    """Where variables declared inside end; empty: they live on."""
    parentheses: frozenset[str]
    """Nodes that only wrap another one."""
    declaration: str = ""
    """The node whose bare declarators are variables without a value."""
    tuples: frozenset[str] = frozenset()
    """Nodes whose parts are assigned one by one if both sides have equally many."""
    reads_address: str = ""
    """The node that takes the address of a variable, which the called function may then change."""
    codexglue: CodexglueNodes | None = None


@cache
def flow_of(language: str) -> FlowNodes:
    """Return the table of a language; UserError if there is none."""
    if language not in languages_with_flow():
        known = ", ".join(title(name) for name in languages_with_flow())
        raise UserError(f"data flow of {title(language)} is not known here; it is of {known}")
    table: FlowNodes = load(facts(language).flow)
    return table


def languages_with_flow() -> tuple[str, ...]:
    """Return the languages whose data flow is known."""
    return tuple(item.name for item in every() if item.flow)
