#include <stdio.h>

int main(void)
{
    *(volatile int *)0 = 1;
}
