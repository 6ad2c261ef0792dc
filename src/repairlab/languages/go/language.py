"""Go: finding functions in its tree, whether a program can see how its own text is laid out, and the language's entry."""

import random
from collections.abc import Iterator, Sequence
from functools import cached_property

from tree_sitter import Node

from repairlab.core.recipe import Framework
from repairlab.languages.blind import BlindFile, said_in
from repairlab.languages.counter import TestBody
from repairlab.languages.go import blind, counter
from repairlab.languages.go.facts import FACTS
from repairlab.languages.go.toolchain import GoToolchain
from repairlab.languages.language import Function, Syntax, Toolchain, Tools
from repairlab.languages.nodes import walk
from repairlab.languages.parser import Parsed
from repairlab.languages.syntax import looking
from repairlab.languages.tree_syntax import Nodes, parameters, tree_syntax

_NODES = Nodes(
    strings=frozenset({"interpreted_string_literal", "raw_string_literal", "rune_literal"}),
    numbers=frozenset({"int_literal", "float_literal", "imaginary_literal"}),
    names=frozenset({"identifier", "field_identifier", "type_identifier", "package_identifier", "blank_identifier", "label_name"}),
)
_FUNCTIONS = frozenset({"function_declaration", "method_declaration"})


class Go:
    """The language Go."""

    facts = FACTS

    def __init__(self, tools: Tools) -> None:
        self.syntax: Syntax = tree_syntax("go", _NODES, functions, sees)
        self._tools = tools

    @cached_property
    def toolchain(self) -> Toolchain:
        """Return the tool chain, made when first asked for."""
        return GoToolchain(self._tools)

    def test_bodies(self, source: str, framework: Framework, draw: random.Random) -> list[TestBody]:
        """Return the tests of a file and what can be changed in them."""
        del framework
        return counter.test_bodies(source, draw)

    def blind(self, source: str, framework: Framework, nonce: str, first: int) -> BlindFile:
        """Return a test file without its expectations."""
        del framework
        return blind.blind(source, nonce, first)

    def said(self, nonce: str, output: str) -> Sequence[tuple[str, str]]:
        """Return what tests said in their order."""
        return said_in(nonce, output)


def functions(parsed: Parsed) -> Iterator[Function]:
    """Yield functions and methods, which are qualified by their receiver's type: `Stack.Push`."""
    for node in walk(parsed.root):
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if node.type not in _FUNCTIONS or name is None or body is None:
            continue
        receiver = _receiver(parsed, node.child_by_field_name("receiver"))
        yield Function(
            name=parsed.text(name),
            qualified=".".join([*receiver, parsed.text(name)]),
            span=parsed.span(node),
            body=parsed.span(body),
            parameters=parameters(parsed, node.child_by_field_name("parameters")),
        )


def _receiver(parsed: Parsed, receiver: Node | None) -> list[str]:
    """Return the name of a receiver's type, without what it points to or is made with."""
    types = [] if receiver is None else [node for node in walk(receiver) if node.type == "type_identifier"]
    return [parsed.text(types[0])] if types else []


_LOOKING = (
    r"\bruntime\b|\bdebug\.|Lshortfile|Llongfile|go/(?:ast|parser|token|build|format|scanner)|\bos\.(?:Open|ReadFile|ReadDir|DirFS)"
    r"|filepath\.(?:Walk|Glob)|ioutil"
    # comments that mean something, and C
    r'|//\s*(?:go:|line|export|\+build)|/\*line|import\s+"C"'
)
_WAYS = rf'{_LOOKING}|\bos\b(?!"|\s*\.\s*(?:Stdin|Stdout|Stderr|Exit)\b)|\bos\s*\.\s*Std\w+\s*\.(?!\s*(?:Read|Write|Close|Sync)\b)'
_LIBRARY_ROOTS = """C archive arena bufio bytes cmp compress container context crypto database debug embed encoding errors
expvar flag fmt go hash html image index internal io iter log maps math mime net os path plugin reflect regexp runtime slices
sort strconv strings structs sync syscall testing text time unicode unique unsafe vendor weak"""
_LIBRARY = frozenset(_LIBRARY_ROOTS.split())
_PLAIN_PACKAGES = """bufio bytes cmp container/heap container/list container/ring context encoding/base64 encoding/binary
encoding/csv encoding/hex encoding/json errors fmt hash/crc32 hash/fnv io iter maps math math/big math/bits math/cmplx math/rand
math/rand/v2 os regexp slices sort strconv strings sync sync/atomic time unicode unicode/utf16 unicode/utf8"""
_PLAIN = frozenset(f'"{path}"' for path in _PLAIN_PACKAGES.split())
"""Packages of the library that neither open files nor start programs; of `os`, only the standard streams."""


def sees(source: str, *, of_others: bool) -> bool:
    """Return whether a Go text may look at its own layout; a test, which sees that `of_others`, says so."""
    if looking(_LOOKING if of_others else _WAYS).search(source):
        return True
    if of_others:
        return False
    parsed = Parsed("go", source)
    return parsed.root.has_error or any(
        _is_looking_package(parsed.text(path), is_renamed=node.child_by_field_name("name") is not None)
        for node in walk(parsed.root)
        if node.type == "import_spec" and (path := node.child_by_field_name("path")) is not None
    )


def _is_looking_package(path: str, *, is_renamed: bool) -> bool:
    """Return whether an imported package may look; the project's own packages are examined themselves."""
    if path == '"os"':
        return is_renamed
    return path not in _PLAIN and (path[1:-1].split("/", maxsplit=1)[0] in _LIBRARY or "\\" in path or path[0] != '"')
