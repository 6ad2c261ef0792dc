#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

// Coins in descending order.
void pay_out(const std::vector<int>& coins, int amount) {
    while (amount > 0) {
        int largest = 0;
        for (const int coin : coins) {
            if (coin <= amount) {
                largest = coin;
                break;
            }
        }
        std::printf("%d\n", largest);
        amount -= largest;
    }
    if (amount > 0) {
        std::printf("owed %d\n", amount);
    }
}

int main() {
    int k = 0;
    if (std::scanf("%d", &k) != 1) {
        return 1;
    }
    std::vector<int> coins(k);
    for (int& coin : coins) {
        if (std::scanf("%d", &coin) != 1) {
            return 1;
        }
    }
    int amount = 0;
    if (std::scanf("%d", &amount) != 1) {
        return 1;
    }
    std::sort(coins.begin(), coins.end(), std::greater<int>());
    pay_out(coins, amount);
    return 0;
}
