"""What fixes of C++ programs are often made of; its facts hold it."""

from repairlab.languages.fix_ingredients import Idioms

IDIOMS = Idioms(
    stop="__builtin_trap();",
    extremes=("INT_MAX", "INT_MIN", "LLONG_MAX", "LLONG_MIN", "std::numeric_limits<double>::max()"),
    releases=(
        "delete {0};",
        "delete[] {0};",
        "{0}.clear();",
        "{0}.pop_back();",
        "{0} = nullptr;",
        "free({0});",
        "std::sort({0}.begin(), {0}.end());",
    ),
    adders=("push_back", "insert", "push"),
    appliers=("std::abs",),
    conversions=("std::tolower({0})", "{0}.size()", "std::abs({0})"),
    exceptions=(
        "std::invalid_argument",
        "std::out_of_range",
        "std::runtime_error",
        "std::exception",
        "std::logic_error",
        "std::underflow_error",
    ),
    families="""
        push_back pop_back emplace_back insert push_front; front back top; begin end rbegin cbegin; find rfind
        find_first_of find_last_of; lower_bound upper_bound; min max; min_element max_element; push pop; insert erase
        emplace; size empty length capacity; resize reserve; sort stable_sort reverse; at find count; count find;
        floor ceil round; pop_front pop_back; isalpha isdigit isalnum isspace; toupper tolower; first second; stoi
        stol stoll stod; substr at; any_of all_of none_of; lock unlock; next prev; make_shared make_unique; abs fabs;
        strcmp strncmp; malloc calloc; memcpy memmove; getline get; clear erase; isupper islower; push_back append;
        swap move; rbegin rend; str c_str data; floor trunc
    """,
    appended=(".size()", ".begin()", ".end()", ".c_str()", ".length()", ".first", ".second"),
    constants=("0",),
    known_names="""
        std cout cin endl vector string size begin end push_back main
    """,
    keywords="""
        return if else while for int void char double public private static class new switch case break continue
        struct unsigned const virtual template typename namespace using include auto
    """,
    declared=("auto", "int", "double"),
    types=("auto", "int", "std::string", "double", "bool", "void", "size_t"),
    casts=("long long", "double", "int", "size_t", "unsigned char"),
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
        "std::size_t": ("int", "long"),
    },
)
