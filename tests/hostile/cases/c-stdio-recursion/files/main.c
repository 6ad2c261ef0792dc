#include <stdio.h>

int f(int n)
{
    volatile char block[4096];
    block[0] = n;
    return f(n + 1) + block[0];
}

int main(void)
{
    printf("%d\n", f(0));
}
