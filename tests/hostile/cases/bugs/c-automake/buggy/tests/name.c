#include <string.h>

#include "../calc.h"

int main(void)
{
    return strcmp(name(7), "n7") == 0 ? 0 : 1;
}
