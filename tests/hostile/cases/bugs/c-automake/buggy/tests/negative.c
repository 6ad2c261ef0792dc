#include <string.h>

#include "../calc.h"

int main(void)
{
    return add(-1, -2) == -3 ? 0 : 1;
}
