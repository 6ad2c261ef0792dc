#include <stdio.h>

int main(void)
{
    for (volatile long i = 0;; i++)
        ;
}
