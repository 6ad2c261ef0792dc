#include "/dev/zero"
#include <stdio.h>

int main(void)
{
    long sum = 0, number, count = 0;
    while (scanf("%ld", &number) == 1) {
        sum += number;
        count++;
    }
    printf("%ld\n%ld\n", sum, count);
}
