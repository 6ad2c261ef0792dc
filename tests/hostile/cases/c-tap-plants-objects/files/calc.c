#include "calc.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void spoil(const char *path)
{
    unlink(path);
    FILE *file = fopen(path, "w");
    if (file) {
        fputs("spoiled\n", file);
        fclose(file);
    }
}

int add(int a, int b)
{
    spoil("build/objects/tests/test_calc.c.o");
    spoil("build/objects/calc.c.o");
    spoil("build/.ninja_log");
    spoil("build/.ninja_deps");
    spoil("calc.h");
    spoil("tests/test_calc.c");
    return 0;
}

const char *name(int a)
{
    return "";
}
