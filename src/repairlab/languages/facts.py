"""What is true of a language without reading or running any of it; each language's folder states its own in `facts.py`.

Every other package asks here instead of naming languages.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Literal

from repairlab.core.recipe import Build
from repairlab.core.record import record
from repairlab.languages.fix_ingredients import Idioms
from repairlab.registry import Parts, lacking, load

_OWN = {
    "python": "repairlab.languages.python.language:Python",
    "java": "repairlab.languages.java.language:Java",
    "c": "repairlab.languages.c.language:C",
    "cpp": "repairlab.languages.cpp.language:Cpp",
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
"""Classes that take the tools of the machine."""


@record
class CheckerStart:
    """How a checker program of a language is started so that an uncaught exception does not look like a wrong answer."""

    program: str
    """The checker, where a bug does not name it."""
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
    """Usual name of a program of one file."""
    self_test: str
    """A program that reads one line and prints it; it must work before the language is offered."""
    build: Build
    """How programs are built where nothing else is said."""
    tools: Mapping[str, int]
    """Build tools, and how dear a build with each is compared with others."""
    frameworks: tuple[str, ...]
    error_line: str
    """Pattern of the line that says why a build failed."""
    fences: tuple[str, ...]
    """Names that models write behind the fence of a block."""
    comments: tuple[str, ...]
    """What comments begin with; the first one ends with its line."""
    grammar: str
    """Module of the tree-sitter grammar."""
    flow: str = ""
    """Import path of what says how values flow through its programs (`FlowNodes`); empty: not known."""
    rejection: str = ""
    """Import path of what takes the tree of a file, and returns what tells of the tree of a version of a part of it whether the
    compiler rejects it, though its syntax is right; empty: nothing is known of that."""
    opaque: str = r'"(?>(?:[^"\\\n]++|\\[\s\S])*)"|\'(?>(?:[^\'\\\n]++|\\.)*)\'|//[^\n]*+|/\*[\s\S]*?\*/'
    """Pattern of what may hide braces: strings and comments."""
    headers: tuple[str, ...] = ()
    """Endings of files that others take in as text, besides its own extensions."""
    relatives: tuple[str, ...] = ()
    """Languages that share `headers` with it: in their trees such a file is theirs."""
    traits: frozenset[str] = frozenset()
    """Its name and the families that fix patterns know: `typed` declares variables with types, `c` is C or grew out of it."""
    idioms: Idioms = Idioms()
    """Pieces of code that fix templates put in."""
    is_indented: bool = False
    """Whether blocks are made by indentation."""
    has_free_functions: bool = True
    """Whether functions may stand outside classes."""
    method_around: str = ""
    """What a lone method must stand in to be read: `class A {\\n%s\\n};`."""
    class_nodes: frozenset[str] = frozenset()
    """Nodes of the grammar that are classes and the like: what holds methods."""
    char_quote: str = "'"
    """What a character begins and ends with; empty where one is a string."""
    type_name: str = ""
    """Pattern of names that are types by custom, where nothing else tells; empty where there is no such custom."""
    scope_mark: str = ""
    """What joins a class and its method where that is defined outside."""
    import_line: str = ""
    """Pattern of a line that imports something."""
    imports: Literal["names", "last part", "whole"] = "whole"
    """What an import binds: the names it lists, the last part of a path, or nothing that can be told from it."""
    package_line: str = ""
    """Pattern of the line that must come before imports."""
    can_check: bool = True
    """Whether checkers can be written in it: one that fails must not end with an exit code that means a verdict."""
    checker: CheckerStart | None = None
    """How a checker is started; none where it is a program of its own."""


def names() -> tuple[str, ...]:
    """Return the names of all languages."""
    return tuple(LANGUAGES)


@cache
def facts(name: str) -> Facts:
    """Return the facts of a language by its name; of our own, no more than these is loaded."""
    stated: Facts = load(f"repairlab.languages.{name}.facts:FACTS") if name in _OWN else LANGUAGES[name].facts  # type: ignore[attr-defined]
    return stated


def title(name: str) -> str:
    """Return a language's name as people write it; of one that is not there, the name itself."""
    return facts(name).title if name in LANGUAGES else name


@cache
def every() -> tuple[Facts, ...]:
    """Return the facts of all languages that work."""
    others = {part.name for part in LANGUAGES.of_others()}
    foreign = [made.facts for name, made in LANGUAGES.working() if name in others] if others else []  # type: ignore[attr-defined]
    return (*map(facts, _OWN), *foreign)


@cache
def by_extension() -> Mapping[str, str]:
    """Return the languages by the endings of their files; the first language has an ending that two claim."""
    return {ending: stated.name for stated in reversed(every()) for ending in stated.extensions}
