#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <string.h>

struct check_test {
    const char *name;
    void (*run)(void);
};

static int check_failures;

#define CHECK(condition)                                                            \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);         \
            check_failures++;                                                       \
            return;                                                                 \
        }                                                                           \
    } while (0)

/* Run the test named on the command line. */
static int check_main(int argc, char **argv, const struct check_test *tests, size_t n_tests)
{
    for (size_t i = 0; argc == 2 && i < n_tests; i++) {
        if (strcmp(tests[i].name, argv[1]) == 0) {
            tests[i].run();
            return check_failures == 0 ? 0 : 1;
        }
    }
    fprintf(stderr, "usage: %s TEST\n", argv[0]);
    return 2;
}

#endif
