"""What fixes of C programs are often made of; its facts hold it."""

from repairlab.languages.fix_ingredients import Idioms

IDIOMS = Idioms(
    stop="__builtin_trap();",
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
