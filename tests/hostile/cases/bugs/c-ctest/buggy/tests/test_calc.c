#include <assert.h>
#include <string.h>

#include "../calc.h"

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "sum") == 0)
        assert(add(1, 2) == 3);
    else if (argc == 2 && strcmp(argv[1], "negative") == 0)
        assert(add(-1, -2) == -3);
    else if (argc == 2 && strcmp(argv[1], "name") == 0)
        assert(strcmp(name(7), "n7") == 0);
    else
        return 2;
    return 0;
}
