#include "tap.h"

#include "ini.h"

static struct ini ini;

static int value_is(const char *section, const char *key, const char *expected)
{
    const char *value = ini_get(&ini, section, key);
    return value != NULL && strlen(value) == strlen(expected) && strcmp(value, expected) == 0;
}

static void reads_plain_values(void)
{
    CHECK(ini_parse(&ini, "name = demo\nport=8080\n") == 0);
    CHECK(value_is("", "name", "demo"));
    CHECK(value_is("", "port", "8080"));
    ini_clear(&ini);
}

static void keeps_sections_apart(void)
{
    CHECK(ini_parse(&ini, "[a]\nx = 1\n[ b ]\nx = 2\n") == 0);
    CHECK(value_is("a", "x", "1"));
    CHECK(value_is("b", "x", "2"));
    CHECK(ini_get(&ini, "c", "x") == NULL);
    ini_clear(&ini);
}

static void skips_comments_and_blank_lines(void)
{
    CHECK(ini_parse(&ini, "; note\n\n# other\n  key =  spaced out  \n") == 0);
    CHECK(value_is("", "key", "spaced out"));
    ini_clear(&ini);
}

static void names_the_bad_line(void)
{
    CHECK(ini_parse(&ini, "ok = 1\nnonsense\n") == -1);
    CHECK(ini.bad_line == 2);
    ini_clear(&ini);
    CHECK(ini_parse(&ini, "[open\n") == -1);
    CHECK(ini.bad_line == 1);
    ini_clear(&ini);
}

static void last_value_wins(void)
{
    CHECK(ini_parse(&ini, "a = 1\na = 2\na =\n") == 0);
    CHECK(value_is("", "a", ""));
    ini_clear(&ini);
}

static void lone_quote_is_kept(void)
{
    CHECK(ini_parse(&ini, "inch = \"\nfeet = 5'\n") == 0);
    CHECK(value_is("", "inch", "\""));
    CHECK(value_is("", "feet", "5'"));
    ini_clear(&ini);
}

static void quotes_keep_spaces(void)
{
    CHECK(ini_parse(&ini, "[ui]\ngreeting = \"  hello there \"\n") == 0);
    CHECK(value_is("ui", "greeting", "  hello there "));
    ini_clear(&ini);
}

static void quotes_resolve_escapes(void)
{
    CHECK(ini_parse(&ini, "say = \"a \\\"b\\\"\\\\\\nc\"\n") == 0);
    CHECK(value_is("", "say", "a \"b\"\\\nc"));
    ini_clear(&ini);
}

static void empty_quotes_are_empty(void)
{
    CHECK(ini_parse(&ini, "none = \"\"\n") == 0);
    CHECK(value_is("", "none", ""));
    ini_clear(&ini);
}

int main(int argc, char **argv)
{
    static const struct tap_test tests[] = {
        {"reads_plain_values", reads_plain_values},
        {"keeps_sections_apart", keeps_sections_apart},
        {"skips_comments_and_blank_lines", skips_comments_and_blank_lines},
        {"names_the_bad_line", names_the_bad_line},
        {"last_value_wins", last_value_wins},
        {"lone_quote_is_kept", lone_quote_is_kept},
        {"quotes_keep_spaces", quotes_keep_spaces},
        {"quotes_resolve_escapes", quotes_resolve_escapes},
        {"empty_quotes_are_empty", empty_quotes_are_empty},
    };
    return tap_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
