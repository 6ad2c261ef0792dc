#include <assert.h>
#include <string.h>

#include "../calc.h"

static void good(void)
{
    assert(grade(95) == 'A');
}

static void bad(void)
{
    assert(grade(20) == 'F');
}

static void names(void)
{
    assert(strcmp(name(7), "n7") == 0);
}

int main(int argc, char **argv)
{
    if (strcmp(argv[1], "grade") == 0)
        good();
    else if (strcmp(argv[1], "low") == 0)
        bad();
    else if (strcmp(argv[1], "name") == 0)
        names();
    else
        return argc;
    return 0;
}
