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
    spoil("/tmp/calc.h");
    spoil("/usr/include/calc.h");
    spoil("/usr/local/include/calc.h");
    spoil("/root/.ccache/ccache.conf");
    spoil("/tmp/ninja");
    spoil("/dev/shm/calc.h");
    spoil("string.h");
    spoil("tests/string.h");
    spoil("tests/stdio.h");
    return 0;
}

const char *name(int a)
{
    return "";
}
