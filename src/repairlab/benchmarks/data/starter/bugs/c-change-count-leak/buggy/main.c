#include <stdio.h>
#include <stdlib.h>

#define MODULUS 1000000007L
#define MAX_COINS 16

struct currency {
    int coins[MAX_COINS];
    int n_coins;
};

static int read_currency(struct currency *currency)
{
    if (scanf("%d", &currency->n_coins) != 1 || currency->n_coins < 1 || currency->n_coins > MAX_COINS)
        return 0;
    for (int i = 0; i < currency->n_coins; i++)
        if (scanf("%d", &currency->coins[i]) != 1 || currency->coins[i] < 1)
            return 0;
    return 1;
}

/* Number of ways to pay an amount, modulo MODULUS; the order of the coins does not matter. */
static long count_ways(const struct currency *currency, int amount)
{
    long *ways = malloc(((size_t)amount + 1) * sizeof *ways);

    if (ways == NULL) {
        fputs("out of memory\n", stderr);
        abort();
    }
    ways[0] = 1;
    for (int sum = 1; sum <= amount; sum++)
        ways[sum] = 0;
    for (int i = 0; i < currency->n_coins; i++) {
        int coin = currency->coins[i];
        for (int sum = coin; sum <= amount; sum++)
            ways[sum] = (ways[sum] + ways[sum - coin]) % MODULUS;
    }
    return ways[amount];
}

int main(void)
{
    struct currency currency;
    int amount;

    if (!read_currency(&currency)) {
        puts("bad currency");
        return 0;
    }
    while (scanf("%d", &amount) == 1) {
        if (amount < 0)
            puts("0");
        else
            printf("%ld\n", count_ways(&currency, amount));
    }
    return 0;
}
