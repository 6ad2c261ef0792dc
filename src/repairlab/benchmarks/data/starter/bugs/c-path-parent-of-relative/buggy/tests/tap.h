#ifndef TAP_H
#define TAP_H

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct tap_test {
    const char *name;
    void (*run)(void);
};

static const char *tap_failure;

#define CHECK(condition)                 \
    do {                                 \
        if (!(condition)) {              \
            tap_failure = #condition;    \
            return;                      \
        }                                \
    } while (0)

/* Run the test named on the command line; report on descriptor 3 when it is open. */
static int tap_main(int argc, char **argv, const struct tap_test *tests, size_t n_tests)
{
    for (size_t i = 0; argc == 2 && i < n_tests; i++) {
        if (strcmp(tests[i].name, argv[1]) != 0)
            continue;
        tests[i].run();
        char line[512];
        int length;
        if (tap_failure == NULL)
            length = snprintf(line, sizeof line, "ok %s\n", tests[i].name);
        else
            length = snprintf(line, sizeof line, "not ok %s %.300s\n", tests[i].name, tap_failure);
        int descriptor = fcntl(3, F_GETFD) == -1 ? 1 : 3;
        if (write(descriptor, line, (size_t)length) != length)
            return 1;
        return tap_failure == NULL ? 0 : 1;
    }
    fprintf(stderr, "usage: %s TEST\n", argv[0]);
    return 2;
}

#endif
