#include "tap.h"

#include "path.h"

static char out[64];

static int normal(const char *path, const char *expected)
{
    return path_normalise(path, out, sizeof out) == 0 && strcmp(out, expected) == 0;
}

static void leaves_clean_paths_alone(void)
{
    CHECK(normal("a/b/c.txt", "a/b/c.txt"));
    CHECK(normal("/usr/share", "/usr/share"));
    CHECK(normal("..a/.b", "..a/.b"));
}

static void removes_dots_and_doubled_slashes(void)
{
    CHECK(normal("./a//b/./c/", "a/b/c"));
    CHECK(normal("//etc///hosts", "/etc/hosts"));
}

static void parent_takes_one_component_back(void)
{
    CHECK(normal("a/b/../c", "a/c"));
    CHECK(normal("/a/b/../..", "/"));
    CHECK(normal("/a/../b", "/b"));
    CHECK(normal("ab/..", "."));
}

static void parent_of_root_is_root(void)
{
    CHECK(normal("/..", "/"));
    CHECK(normal("/../../etc", "/etc"));
}

static void nothing_is_dot(void)
{
    CHECK(normal("", "."));
    CHECK(normal("./.", "."));
    CHECK(normal("/", "/"));
}

static void too_small_a_buffer_is_refused(void)
{
    CHECK(path_normalise("abcdef", out, 6) == -1);
    CHECK(path_normalise("abcde", out, 6) == 0);
    CHECK(path_join("folder", "name", out, 11) == -1);
    CHECK(path_join("folder", "name", out, 12) == 0);
}

static void joins_and_splits(void)
{
    CHECK(path_join("a", "b", out, sizeof out) == 0 && strcmp(out, "a/b") == 0);
    CHECK(path_join("a/", "/b", out, sizeof out) == 0 && strcmp(out, "/b") == 0);
    CHECK(path_parent("/a/b", out, sizeof out) == 0 && strcmp(out, "/a") == 0);
    CHECK(path_parent("b", out, sizeof out) == 0 && strcmp(out, ".") == 0);
    CHECK(strcmp(path_name("/a/b"), "b") == 0);
}

static void leading_parents_are_kept(void)
{
    CHECK(normal("../lib/x.h", "../lib/x.h"));
    CHECK(normal("../../x", "../../x"));
    CHECK(normal("./..", ".."));
}

static void parents_beyond_the_start_are_kept(void)
{
    CHECK(normal("a/../../b", "../b"));
    CHECK(normal("../a/../../b/./..", "../.."));
    CHECK(normal("../../a/b/../../c", "../../c"));
}

static void kept_parents_must_fit_too(void)
{
    CHECK(path_normalise("../..", out, 5) == -1);
    CHECK(path_normalise("../..", out, 6) == 0 && strcmp(out, "../..") == 0);
}

int main(int argc, char **argv)
{
    static const struct tap_test tests[] = {
        {"leaves_clean_paths_alone", leaves_clean_paths_alone},
        {"removes_dots_and_doubled_slashes", removes_dots_and_doubled_slashes},
        {"parent_takes_one_component_back", parent_takes_one_component_back},
        {"parent_of_root_is_root", parent_of_root_is_root},
        {"nothing_is_dot", nothing_is_dot},
        {"too_small_a_buffer_is_refused", too_small_a_buffer_is_refused},
        {"joins_and_splits", joins_and_splits},
        {"leading_parents_are_kept", leading_parents_are_kept},
        {"parents_beyond_the_start_are_kept", parents_beyond_the_start_are_kept},
        {"kept_parents_must_fit_too", kept_parents_must_fit_too},
    };
    return tap_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
