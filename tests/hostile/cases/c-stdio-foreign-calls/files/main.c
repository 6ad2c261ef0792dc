#include <stdio.h>

int main(void)
{
#ifdef __x86_64__
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20));
    printf("%ld\n", result);
#else
    return 1;
#endif
}
