"""What is true of C, what fixes of its programs are often made of, and how values flow through them."""

from repairlab.core.recipe import Build
from repairlab.languages.facts import Defines, Facts, FlowNodes, Idioms, Probe

PROBE = Probe(
    call="repairlab_hit_@FILE@(@N@);",
    head="""\
#ifndef REPAIRLAB_@FILE@
#define REPAIRLAB_@FILE@
extern int repairlab_open_@FILE@(const char *, int, ...) __asm__("open");
extern long repairlab_write_@FILE@(int, const void *, unsigned long) __asm__("write");
extern int repairlab_close_@FILE@(int) __asm__("close");
extern int *repairlab_errno_@FILE@(void) __asm__("__errno_location");
static void __attribute__((unused)) repairlab_hit_@FILE@(int n) {
  static unsigned char seen[@COUNT@];
  static const char *const places[] = {@PLACES@};
  unsigned long i, length = 0;
  int error, notes = -1, left = n;
  char line[12];
  if (seen[n - @FIRST@]) return;
  seen[n - @FIRST@] = 1;
  error = *repairlab_errno_@FILE@();
  for (i = 0; i < sizeof places / sizeof *places && notes < 0; i++) notes = repairlab_open_@FILE@(places[i], 02001);
  line[11] = '\\n';
  do line[10 - length++] = (char)('0' + left % 10); while (left /= 10);
  if (notes >= 0 && repairlab_write_@FILE@(notes, line + 11 - length, length + 1) >= 0) repairlab_close_@FILE@(notes);
  *repairlab_errno_@FILE@() = error;
}
#endif
#line 1
""",
)

IDIOMS = Idioms(
    probe=PROBE,
    extremes=("INT_MAX", "INT_MIN", "LLONG_MAX", "LLONG_MIN", "DBL_MAX"),
    releases=("free({0});", "fclose({0});", "{0} = NULL;", "fflush(stdout);"),
    appliers=("abs", "strlen"),
    conversions=("tolower({0})", "strlen({0})"),
    families="""
        strcmp strncmp strcasecmp; strcpy strncpy; strcat strncat; strchr strrchr strstr; sprintf snprintf; fgets
        gets; malloc calloc; isalpha isdigit isalnum isspace ispunct; isupper islower; toupper tolower; memcpy
        memmove; atoi atol atoll strtol; floor ceil round; fmin fmax; abs labs llabs fabs; fread fwrite; fopen fclose;
        printf puts fprintf; getchar getc fgetc; sqrt cbrt pow; strlen sizeof; free fclose; log log2 log10; strtol
        strtoul strtoll
    """,
    known_names="""
        printf scanf malloc free strlen NULL main
    """,
    keywords="""
        return if else while for int void char double public private static class new switch case break continue
        struct unsigned const sizeof typedef include define
    """,
    declared=("int", "double", "char *", "size_t"),
    types=("int", "void", "char *", "double", "const char *", "long"),
    casts=("long long", "double", "unsigned char", "int", "size_t"),
    wider={
        "int": ("long long", "unsigned int", "long", "size_t", "double", "unsigned long long"),
        "char": ("unsigned char", "int"),
        "short": ("int",),
        "long": ("long long", "unsigned long", "int"),
        "float": ("double",),
        "double": ("long double", "float", "int"),
        "unsigned": ("unsigned long long", "int"),
        "unsigned int": ("unsigned long long", "int", "size_t"),
        "size_t": ("int", "long", "ssize_t"),
        "unsigned char": ("int", "char"),
        "signed char": ("unsigned char", "int"),
        "long long": ("unsigned long long", "double", "int"),
        "unsigned long": ("unsigned long long", "long"),
        "uint8_t": ("uint16_t", "uint32_t", "int"),
        "uint16_t": ("uint32_t",),
        "uint32_t": ("uint64_t", "int32_t"),
        "int32_t": ("int64_t", "uint32_t"),
        "int16_t": ("int32_t",),
        "int8_t": ("int32_t", "uint8_t"),
        "bool": ("int",),
    },
)


_KEYWORDS = """auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Alignas _Alignof _Atomic _Bool
_Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local"""

FLOW = FlowNodes(
    keywords=frozenset(_KEYWORDS.split()),
    names=frozenset({"identifier"}),
    literals=frozenset({"string_literal", "char_literal", "system_lib_string", "concatenated_string", "raw_string_literal"}),
    declarations={"init_declarator": Defines(name="declarator", value="value")},
    parameters={"parameter_declaration": "declarator"},
    assignments={"assignment_expression": Defines(name="left", value="right")},
    updates=frozenset({"update_expression"}),
    members={
        "field_expression": ("argument",),
        "sizeof_expression": (),
        "enumerator": ("value",),
        "preproc_def": (),
        "preproc_include": (),
        "preproc_function_def": (),
    },
    calls={"call_expression": "function"},
    places=frozenset({"field_expression", "subscript_expression", "pointer_expression"}),
    conditions={"if_statement": ("consequence", "alternative"), "conditional_expression": ("consequence", "alternative")},
    switches=frozenset({"switch_statement"}),
    cases=frozenset({"case_statement"}),
    tries=frozenset(),
    handlers=frozenset(),
    loops={
        "for_statement": ("condition", "body", "update"),
        "while_statement": ("condition", "body"),
        "do_statement": ("body", "condition"),
    },
    for_each={},
    ends=frozenset({"return_statement"}),
    functions=frozenset({"function_definition"}),
    blocks=frozenset({"compound_statement", "for_statement"}),
    parentheses=frozenset({"parenthesized_expression"}),
    declaration="declaration",
    reads_address="pointer_expression",
)


_SELF_TEST = """\
#include <stdio.h>

int main(void) {
    int c;
    while ((c = getchar()) != EOF && c != '\\n') putchar(c);
    putchar('\\n');
    return 0;
}
"""

FACTS = Facts(
    name="c",
    title="C",
    extensions=(".c", ".h"),
    file="main.c",
    self_test=_SELF_TEST,
    build=Build(tool="compile", sources=("**/*.c",)),
    tools={"none": 0, "compile": 1, "make": 3, "cmake": 4, "autotools": 4},
    frameworks=("stdio", "gtest", "catch2", "ctest", "tap", "automake", "lit", "cmocka", "cunit", "lines"),
    packages={
        "compile": "ninja-build",
        "make": "make",
        "cmake": "cmake g++ ninja-build",
        "autotools": "automake libtool make",
        "automake": "make",
        "ctest": "cmake",
        "gtest": "g++ libgtest-dev",
        "catch2": "catch2 g++",
        "cmocka": "libcmocka-dev",
        "cunit": "libcunit1-dev",
    },
    error_line=(
        r"^.*(?:\b(?:fatal )?error: |: undefined reference to |: multiple definition of |: cannot find -l"
        r"|CMake Error|\*\*\* .*Stop\.).*"
    ),
    fences=("c", "h", "objectivec", "cuda"),
    comments=("//", "/*"),
    grammar="tree_sitter_c",
    dead_code=("if (0) { int NAME = 0; (void)NAME; }",),
    flow="repairlab.languages.c.facts:FLOW",
    headers=(".h", ".hh", ".hpp", ".hxx", ".inc", ".inl", ".ipp", ".tcc"),
    relatives=("cpp",),
    idioms=IDIOMS,
    traits=frozenset({"c", "typed"}),
    import_line=r"^[ \t]*#[ \t]*include[ \t]*(?:<[\w./+-]+>)",
)
