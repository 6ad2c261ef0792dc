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
    spoil("CMakeCache.txt");
    spoil("build.ninja");
    spoil(".ninja_deps");
    spoil(".ninja_log");
    spoil("CTestTestfile.cmake");
    spoil("CMakeFiles/test_calc.dir/calc.c.o");
    spoil("../calc.h");
    spoil("../CMakeLists.txt");
    return 0;
}

const char *name(int a)
{
    return "";
}
