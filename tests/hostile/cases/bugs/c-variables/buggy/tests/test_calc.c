#include <assert.h>
#include <string.h>

#include "../calc.h"

static void sum(void)
{
    int expected = 3;
    int actual = add(1, 2);
    assert(actual == expected);
}

static void negative(void)
{
    int expected = -3;
    int actual = add(-1, -2);
    assert(actual == expected);
}

static void names(void)
{
    const char *expected = "n7";
    assert(!strcmp(name(7), expected));
}

int main(int argc, char **argv)
{
    if (strcmp(argv[1], "sum") == 0)
        sum();
    else if (strcmp(argv[1], "negative") == 0)
        negative();
    else if (strcmp(argv[1], "name") == 0)
        names();
    else
        return 2;
    return 0;
}
