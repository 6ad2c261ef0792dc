"""Patterns that call a sibling of a well-known function or method: strip and rstrip, equals and compareTo, get and getOrDefault."""

from collections.abc import Iterator
from functools import cache

from repairlab.repairers.templates import kinds
from repairlab.repairers.templates.shapes import binaries, call_of
from repairlab.repairers.templates.site import Site, TemplateEdit

_FAMILIES = {
    "python": """
        strip lstrip rstrip; lower upper title capitalize casefold swapcase; find index rfind rindex; split rsplit splitlines;
        append extend add insert; add update; remove discard pop; pop popleft popitem; append appendleft; sort reverse;
        startswith endswith; get setdefault pop; keys values items; isalpha isdigit isalnum isnumeric isspace isdecimal;
        islower isupper istitle; min max; any all; sum len max min; sorted reversed list set; int float str round; floor ceil
        trunc; heappush heappop heapify; match search fullmatch findall; intersection union difference symmetric_difference;
        issubset issuperset; read readline readlines; write writelines; ljust rjust center zfill; partition rpartition; extend
        update; bisect_left bisect_right bisect insort; replace strip; count index find; permutations combinations product;
        load loads; dump dumps; isinstance issubclass; append push; abs int; encode decode; format replace; map filter; log
        log2 log10 exp
    """,
    "java": """
        equals equalsIgnoreCase contains compareTo; compareTo compareToIgnoreCase; startsWith endsWith contains; indexOf
        lastIndexOf; trim strip; toLowerCase toUpperCase; add addAll offer push addLast addFirst; remove poll pop removeLast
        removeFirst pollLast pollFirst; peek poll pop peekFirst peekLast; get getOrDefault; put putIfAbsent; min max; floor
        ceil round; replace replaceAll replaceFirst; containsKey containsValue contains; isEmpty isBlank; isDigit isLetter
        isLetterOrDigit isAlphabetic; isUpperCase isLowerCase; print println; nextInt nextLong next nextDouble; parseInt
        parseLong parseDouble valueOf; hasNext hasNextLine hasNextInt; next nextLine; keySet values entrySet; getKey getValue;
        append insert; size length; intValue longValue doubleValue; floorKey ceilingKey lowerKey higherKey; firstKey lastKey;
        headSet tailSet; anyMatch allMatch noneMatch; sqrt abs pow cbrt; set add put; lock unlock; wait notify notifyAll;
        start run join; read readLine; isPresent isEmpty; sort reverse
    """,
    "c": """
        strcmp strncmp strcasecmp; strcpy strncpy; strcat strncat; strchr strrchr strstr; sprintf snprintf; fgets gets; malloc
        calloc; isalpha isdigit isalnum isspace ispunct; isupper islower; toupper tolower; memcpy memmove; atoi atol atoll
        strtol; floor ceil round; fmin fmax; abs labs llabs fabs; fread fwrite; fopen fclose; printf puts fprintf; getchar
        getc fgetc; sqrt cbrt pow; strlen sizeof; free fclose; log log2 log10; strtol strtoul strtoll
    """,
    "cpp": """
        push_back pop_back emplace_back insert push_front; front back top; begin end rbegin cbegin; find rfind find_first_of
        find_last_of; lower_bound upper_bound; min max; min_element max_element; push pop; insert erase emplace; size empty
        length capacity; resize reserve; sort stable_sort reverse; at find count; count find; floor ceil round; pop_front
        pop_back; isalpha isdigit isalnum isspace; toupper tolower; first second; stoi stol stoll stod; substr at; any_of
        all_of none_of; lock unlock; next prev; make_shared make_unique; abs fabs; strcmp strncmp; malloc calloc; memcpy
        memmove; getline get; clear erase; isupper islower; push_back append; swap move; rbegin rend; str c_str data; floor
        trunc
    """,
}
"""Functions that are mistaken for each other, one family between two semicolons."""


@cache
def families(language: str) -> tuple[tuple[str, ...], ...]:
    """Return the families of a language."""
    return tuple(tuple(family.split()) for family in _FAMILIES[language].split(";"))


def sibling(site: Site) -> Iterator[TemplateEdit]:
    """Call a function of the same family."""
    for node in site.nodes:
        call = call_of(node)
        name = call.name if call is not None else node if node.type in ("identifier", "field_identifier") else None
        if name is None:
            continue
        text = site.code.text(name)
        prefix, _, last = text.rpartition("::")
        options = [word for family in families(site.code.language) if last in family for word in family if word != last]
        is_call = call is not None
        for rank, option in enumerate(dict.fromkeys(options)):
            yield site.replace(
                name, f"{prefix}::{option}" if prefix else option, weight=(1.0 if is_call else 0.3) / (1 + 0.2 * rank)
            )


_APPENDED = {
    "python": (".strip()", ".lower()", ".copy()", ".upper()", ".items()", ".keys()", ".values()", ".split()", "[::-1]"),
    "java": (".trim()", ".toLowerCase()", ".length()", ".size()", ".toString()", ".clone()", ".length", ".getKey()", ".getValue()"),
    "c": (),
    "cpp": (".size()", ".begin()", ".end()", ".c_str()", ".length()", ".first", ".second"),
}


def append_call(site: Site) -> Iterator[TemplateEdit]:
    """Call a common method on a value."""
    code = site.code
    for rank, suffix in enumerate(_APPENDED[code.language]):
        for node in site.expressions:
            parent = node.parent
            if parent is None or node.type not in (
                "identifier",
                "call",
                "method_invocation",
                "subscript",
                "attribute",
                "field_access",
            ):
                continue
            is_value = parent.type in (
                "argument_list",
                "return_statement",
                "for_statement",
                "for_in_clause",
                "enhanced_for_statement",
                "comparison_operator",
            )
            is_value = is_value or parent.type in ("binary_expression", "binary_operator", "for_range_loop")
            is_source = parent.child_by_field_name("right") == node or parent.child_by_field_name("value") == node
            if (is_value and parent.child_by_field_name("left") != node) or is_source or parent.type == "comparison_operator":
                yield site.replace(node, code.text(node) + suffix, weight=1.0 / (1 + 0.2 * rank))


def equality(site: Site) -> Iterator[TemplateEdit]:
    """Compare contents, not identities (Java, C), or the other way round."""
    code = site.code
    for node in site.expressions:
        for binary in binaries(node):
            if binary.symbol not in ("==", "!="):
                continue
            left, right = code.text(binary.left), code.text(binary.right)
            bang = "!" if binary.symbol == "!=" else ""
            if code.is_java and "null" not in (left, right):
                primitive = (
                    binary.left.type in kinds.NUMBERS | kinds.CHARACTERS or binary.right.type in kinds.NUMBERS | kinds.CHARACTERS
                )
                weight = 0.2 if primitive else 1.0
                yield site.replace(node, f"{bang}{left}.equals({right})", weight=weight)
                yield site.replace(node, f"{bang}Objects.equals({left}, {right})", weight=weight * 0.7)
                yield site.replace(node, f"{bang}{right}.equals({left})", weight=weight * 0.5)
            if code.is_c and (binary.right.type in kinds.STRINGS or site.scope.type_of(left, binary.left) == "char*"):
                yield site.replace(node, f"strcmp({left}, {right}) {binary.symbol} 0")
    for node in site.expressions:
        call = call_of(node)
        if call is None:
            continue
        name = code.text(call.name)
        if name == "equals" and call.receiver is not None and len(call.arguments) == 1:
            yield site.replace(node, f"{code.text(call.receiver)} == {code.text(call.arguments[0])}", weight=0.4)
            yield site.replace(node, f"Objects.equals({code.text(call.receiver)}, {code.text(call.arguments[0])})", weight=0.7)
        if (
            name in ("strcmp", "strncmp", "memcmp", "compareTo")
            and node.parent is not None
            and node.parent.type != "binary_expression"
        ):
            yield site.replace(node, f"{code.text(node)} == 0")
            yield site.replace(node, f"{code.text(node)} != 0")
