#include <stdio.h>
#include <string.h>

#include "wrap.h"

#define LINE_SIZE 4096

int main(void)
{
    static char line[LINE_SIZE];
    int width;

    if (fgets(line, sizeof line, stdin) == NULL || sscanf(line, "%d", &width) != 1 || width < 2) {
        puts("bad width");
        return 0;
    }
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '\0')
            putchar('\n');
        else
            wrap_print(line, (size_t)width);
    }
    return 0;
}
