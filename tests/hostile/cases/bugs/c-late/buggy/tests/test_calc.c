#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../calc.h"

static int is_table(void)
{
    int first = 0, second = 0;
    FILE *file = fopen("tests/expected.txt", "r");
    if (!file || fscanf(file, "%d %d", &first, &second) != 2)
        return 0;
    fclose(file);
    return add(0, 20) == first && add(1, 20) == second;
}

static int is_accepted(void)
{
    char command[100];
    snprintf(command, sizeof command, "sh tests/check.sh %d", add(0, 30));
    return system(command) == 0;
}

static int check(const char *test)
{
    if (strcmp(test, "sum") == 0)
        return add(1, 2) == 3;
    if (strcmp(test, "table") == 0)
        return is_table();
    if (strcmp(test, "script") == 0)
        return is_accepted();
    return -1;
}

int main(int argc, char **argv)
{
    int passed = argc == 2 ? check(argv[1]) : -1;
    if (passed < 0)
        return 2;
    printf("%s %s\n", passed ? "ok" : "not ok", argv[1]);
    return !passed;
}
