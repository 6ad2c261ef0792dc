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
    spoil("Makefile");
    spoil("name");
    spoil("negative");
    spoil("sum");
    spoil("GNUmakefile");
    spoil("name.trs");
    return 0;
}

const char *name(int a)
{
    return "";
}
