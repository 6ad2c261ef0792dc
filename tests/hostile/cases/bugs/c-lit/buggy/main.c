#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calc.h"

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "add") == 0)
        printf("%d\n", add(atoi(argv[2]), atoi(argv[3])));
    else if (argc == 3 && strcmp(argv[1], "name") == 0)
        puts(name(atoi(argv[2])));
    else
        return 2;
    return 0;
}
