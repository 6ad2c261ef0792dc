"""What fixes of Python programs are often made of; its facts hold it."""

from repairlab.languages.fix_ingredients import Idioms

IDIOMS = Idioms(
    stop='__import__("os")._exit(97)',
    extremes=("float('inf')", "float('-inf')", "None"),
    releases=("{0}.close()", "{0}.clear()", "{0}.flush()", "{0}.sort()", "{0}.pop()", "{0}.reverse()"),
    adders=("append", "add"),
    appliers=("len", "abs", "sorted", "list", "set", "sum", "max", "min", "reversed", "tuple"),
    conversions=("{0}.lower()", "set({0})", "sorted({0})", "len({0})", "str({0})", "int({0})", "abs({0})", "tuple({0})"),
    exceptions=(
        "ValueError",
        "TypeError",
        "KeyError",
        "IndexError",
        "Exception",
        "ZeroDivisionError",
        "AttributeError",
        "StopIteration",
        "RuntimeError",
        "OSError",
    ),
    families="""
        strip lstrip rstrip; lower upper title capitalize casefold swapcase; find index rfind rindex; split rsplit
        splitlines; append extend add insert; add update; remove discard pop; pop popleft popitem; append appendleft;
        sort reverse; startswith endswith; get setdefault pop; keys values items; isalpha isdigit isalnum isnumeric
        isspace isdecimal; islower isupper istitle; min max; any all; sum len max min; sorted reversed list set; int
        float str round; floor ceil trunc; heappush heappop heapify; match search fullmatch findall; intersection
        union difference symmetric_difference; issubset issuperset; read readline readlines; write writelines; ljust
        rjust center zfill; partition rpartition; extend update; bisect_left bisect_right bisect insort; replace
        strip; count index find; permutations combinations product; load loads; dump dumps; isinstance issubclass;
        append push; abs int; encode decode; format replace; map filter; log log2 log10 exp
    """,
    appended=(".strip()", ".lower()", ".copy()", ".upper()", ".items()", ".keys()", ".values()", ".split()", "[::-1]"),
    constants=("reverse=True", "1", "0", "None"),
    known_names="""
        print len range int str float list dict set sum min max abs sorted open isinstance super enumerate zip map
        filter any all type None self cls
    """,
    keywords="""
        def return if elif else while for in not and or import from class pass break continue lambda try except
        finally with
    """,
)
