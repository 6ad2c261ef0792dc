"""Patterns for programs that do not build: lost punctuation, unknown names, missing imports, wrong types of declarations."""

import re
from collections.abc import Iterator
from functools import cache

from repairlab.repairers.templates import node_types
from repairlab.repairers.templates.code import Code
from repairlab.repairers.templates.fix_site import Gap, Replacement, Site, TemplateEdit
from repairlab.repairers.templates.patterns.names import similarity


def _broken_lines(site: Site) -> Iterator[tuple[int, str]]:
    """Yield offset and text of the suspicious lines, if the file does not parse."""
    code = site.code
    if code.root.has_error:
        for line in range(site.first, min(site.last, code.n_lines, site.first + 5) + 1):
            text = code.line_text(line).rstrip()
            if text.strip():
                yield code.line_start(line), text


def punctuation(site: Site) -> Iterator[TemplateEdit]:
    """Add or drop a semicolon, colon, bracket, quote or comma on a line that does not parse."""
    at_end = (":", ")", "]", "):", '"', "'") if site.code.is_python else (";", ")", ");", " {", "}", '"', '";', '");', ",", "]")
    for start, text in _broken_lines(site):
        end = start + len(text)
        for option in at_end:
            yield site.insert(end, option)
        if text.endswith((";", ":", "{")) and len(text) > 1:
            inner = start + len(text[:-1].rstrip())
            for option in (")", '"', "]", "))", '")'):
                yield site.insert(inner, option)
        for position, char in enumerate(text, start=start):
            if char in "()[]{};,:\"'":
                yield TemplateEdit((Replacement(position, position + 1, ""),), 0.5)
        for position, char in enumerate(text, start=start):
            for option in {"=": "=", "(": ")(,;", ")": ")(,;", ",": ")(,;", ";": ")(,;"}.get(char, ""):
                yield site.insert(position, option, weight=0.3)
        yield TemplateEdit((Replacement(start, end, ""),), 0.4)


def misspelt_keyword(site: Site) -> Iterator[TemplateEdit]:
    """Put the nearest keyword in place of a word on a line that does not parse."""
    for start, text in _broken_lines(site):
        for word in re.finditer(r"[A-Za-z_]\w*", text):
            for other in site.code.idioms.keywords.split():
                if word[0] != other and similarity(word[0], other) > 0.7:
                    yield TemplateEdit((Replacement(start + word.start(), start + word.end(), other),))


def undeclared(site: Site) -> Iterator[TemplateEdit]:
    """Put a known name of the file in place of one that nothing declares."""
    code, library = site.code, site.scope.library
    declared = {item.name for item in library.variables} | {made.name for made in library.signatures}
    builtin = set(code.idioms.known_names.split())
    pool = [name for name in {**dict.fromkeys(declared), **library.names} if len(name) > 1]
    for node in site.nodes:
        name = code.text(node)
        if node.type not in node_types.NAMES or name in declared or name in builtin or library.names[name] > 2:
            continue
        ranked = sorted(((similarity(name, other), other) for other in pool if other != name), key=lambda pair: (-pair[0], pair[1]))
        for score, other in ranked[:6]:
            if score > 0.5:
                yield site.replace(node, other, weight=score)
        visible = [item.name for item in site.scope.local(node)]
        for other in visible[:6]:
            yield site.replace(node, other, weight=0.4)


def declare(site: Site) -> Iterator[TemplateEdit]:
    """Declare the variable that a statement assigns for the first time."""
    code, statement = site.code, site.statement
    if code.is_python or statement.type not in (
        "expression_statement",
        "for_statement",
        "for_range_loop",
        "enhanced_for_statement",
    ):
        return
    first = statement.named_children[0] if statement.named_children else None
    if first is None or first.type != "assignment_expression":
        return
    target = first.child_by_field_name("left")
    if target is None or target.type != "identifier":
        return
    known = {item.name for item in site.scope.visible(statement)}
    if code.text(target) in known:
        return
    for kind in code.idioms.declared:
        yield site.insert(code.start(target), f"{kind} ")


def other_type(site: Site) -> Iterator[TemplateEdit]:
    """Declare with the type that the value has."""
    code = site.code
    options = code.idioms.types
    for node in site.nodes:
        if node.type in (
            "type_identifier",
            "integral_type",
            "primitive_type",
            "void_type",
            "boolean_type",
            "floating_point_type",
            "placeholder_type_specifier",
        ):
            text = code.text(node)
            others = [
                name
                for name in dict.fromkeys(item.type for item in site.scope.library.variables)
                if name and name != text and "*" not in name
            ]
            for option in [*options, *others[:6]]:
                if option != text:
                    yield site.replace(node, option)
    declarators = [node for node in site.nodes if node.type in ("pointer_declarator",)]
    for node in declarators:
        yield site.replace(node, code.text(node).replace("*", "", 1).strip(), weight=0.5)
        yield site.insert(code.start(node), "*", weight=0.5)
    if code.is_c:
        for node in site.nodes:
            if (
                node.type == "identifier"
                and node.parent is not None
                and node.parent.type in ("parameter_declaration", "init_declarator", "declaration")
            ) and node.parent.child_by_field_name("declarator") == node:
                yield site.insert(code.start(node), "*", weight=0.6)


_PYTHON = """
import {0}: math re sys os json random itertools functools collections heapq bisect time datetime copy string operator
io; from collections import {0}: deque defaultdict Counter OrderedDict namedtuple; from functools import {0}:
lru_cache reduce partial cache wraps; from itertools import {0}: permutations combinations product accumulate chain
groupby islice; from math import {0}: gcd sqrt floor ceil inf; from typing import {0}: List Dict Optional Tuple Set
Any Iterable Iterator Union Callable; from dataclasses import {0}: dataclass field; from decimal import {0}: Decimal;
from fractions import {0}: Fraction; from pathlib import {0}: Path; from heapq import {0}: heappush heappop heapify;
from copy import {0}: deepcopy
"""
_JAVA = """
java.util: List ArrayList Map HashMap Set HashSet LinkedList Deque ArrayDeque Queue PriorityQueue Arrays Collections
Scanner TreeMap TreeSet Iterator LinkedHashMap LinkedHashSet Objects Optional Comparator Stack BitSet Random
NoSuchElementException Collection StringJoiner Locale; java.util.stream: Collectors Stream IntStream;
java.util.function: Function Supplier Predicate Consumer BiFunction; java.io: IOException BufferedReader
InputStreamReader PrintWriter File FileReader InputStream OutputStream Serializable; java.math: BigInteger BigDecimal
RoundingMode; java.util.concurrent: ConcurrentHashMap ExecutorService Executors TimeUnit; java.util.concurrent.atomic:
AtomicInteger AtomicLong; java.util.regex: Pattern Matcher
"""
_C = """
stdio.h: printf scanf fprintf fgets puts getchar putchar snprintf sprintf FILE fopen stdin stdout stderr; stdlib.h:
malloc free calloc realloc abs atoi qsort exit strtol rand srand; string.h: strlen strcmp strcpy strncpy memcpy memset
strcat strchr strstr strdup memmove strtok strncmp; math.h: sqrt pow floor ceil fabs sin cos log fmod round; limits.h:
INT_MAX INT_MIN LONG_MAX LLONG_MAX UINT_MAX CHAR_BIT; ctype.h: isalpha isdigit isspace toupper tolower isalnum isupper
islower ispunct; stdbool.h: bool true false; stdint.h: uint8_t uint32_t int64_t uint64_t int32_t uint16_t SIZE_MAX;
stddef.h: size_t NULL ptrdiff_t; assert.h: assert; errno.h: errno ERANGE
"""
_CPP = """
algorithm: sort max min reverse find count lower_bound upper_bound swap max_element min_element unique remove_if
all_of any_of transform; vector: vector; string: string to_string stoi getline; iostream: cout cin cerr endl; map: map
multimap; set: set multiset; unordered_map: unordered_map; unordered_set: unordered_set; queue: queue priority_queue;
stack: stack; deque: deque; numeric: accumulate iota gcd lcm; cmath: sqrt pow abs floor ceil; climits: INT_MAX INT_MIN
LLONG_MAX; utility: pair make_pair move; memory: unique_ptr shared_ptr make_unique make_shared weak_ptr; sstream:
stringstream istringstream ostringstream; limits: numeric_limits; functional: function greater less hash; stdexcept:
invalid_argument out_of_range runtime_error logic_error; cstring: strlen memset strcmp memcpy; array: array; tuple:
tuple make_tuple tie; optional: optional nullopt; cstdint: uint8_t int64_t uint32_t uint64_t; list: list; iomanip:
setprecision setw setfill; cstdio: printf scanf; cctype: isdigit isalpha toupper tolower isspace; mutex: mutex
lock_guard unique_lock; thread: thread; atomic: atomic; iterator: back_inserter distance next prev advance; cstddef:
size_t; cassert: assert
"""


@cache
def _table(text: str) -> dict[str, tuple[str, ...]]:
    """Return the names that each module or header makes known."""
    entries = (entry.partition(": ") for entry in text.replace("\n", " ").split(";"))
    return {key.strip(): tuple(words.split()) for key, _, words in entries}


def _missing(code: Code, names: set[str]) -> Iterator[str]:
    """Yield the lines that would make the names known, in the order of the tables."""
    source = code.source
    if code.is_python:
        for template, words in _table(_PYTHON).items():
            for word in words:
                if (
                    word in names
                    and not re.search(rf"import\b.*\b{word}\b", source)
                    and not re.search(rf"^\s*{word}\s*=|def {word}\b", source, re.MULTILINE)
                ):
                    yield template.format(word)
        return
    if code.is_java:
        for package, words in _table(_JAVA).items():
            for word in words:
                if word in names and f"import {package}.{word};" not in source and f"import {package}.*;" not in source:
                    yield f"import {package}.{word};"
        return
    for header, words in (_table(_C) if code.is_plain_c else _table(_CPP) | _table(_C)).items():
        if f"<{header}>" not in source and names & set(words):
            yield f"#include <{header}>"


def _used(code: Code) -> set[str]:
    return set(re.findall(r"[A-Za-z_]\w*", code.source))


def add_import(site: Site) -> Iterator[TemplateEdit]:
    """Import what the line uses."""
    code = site.code
    names = {
        code.text(node)
        for node in site.nodes
        if node.type.endswith("identifier") or node.type in ("primitive_type", "true", "false", "null")
    }
    for line in _missing(code, names):
        offset = _import_offset(code)
        yield TemplateEdit((Replacement(offset, offset, f"{line}\n"),))


def insert_import(gap: Gap) -> Iterator[TemplateEdit]:
    """Import what the file uses, at a gap outside functions."""
    if gap.function is None:
        for line in _missing(gap.code, _used(gap.code)):
            yield gap.insert(line)


def _import_offset(code: Code) -> int:
    imports = [node for node in code.root.named_children if node.type in node_types.IMPORTS]
    if imports:
        return code.line_start(code.first_line(imports[0]))
    package = next((node for node in code.root.named_children if node.type == "package_declaration"), None)
    if package is not None:
        return code.line_start(code.last_line(package) + 1)
    first = next(
        (node for node in code.root.named_children if "comment" not in node.type and node.type != "expression_statement"), None
    )
    return 0 if first is None else code.line_start(code.first_line(first))
