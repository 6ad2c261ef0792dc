#include "calc.h"

#include <stdio.h>

int add(int a, int b)
{
    int x = 0, y = 0;
    FILE *file = tmpfile();
    if (!file)
        return a + b;
    fprintf(file, "%d %d", a, b);
    rewind(file);
    if (fscanf(file, "%d %d", &x, &y) != 2)
        return 0;
    fclose(file);
    return x + y;
}

const char *name(int a)
{
    return a == 7 ? "n7" : "n";
}
