#include <stdio.h>
#include <string.h>
#include <stdio.h>

int main(void)
{
    char block[60 << 20];
    memset(block, 1, sizeof block);
    if (block[99] != 1)
        return 1;
    long sum = 0, number, count = 0;
    while (scanf("%ld", &number) == 1) {
        sum += number;
        count++;
    }
    printf("%ld\n%ld\n", sum, count);
}
