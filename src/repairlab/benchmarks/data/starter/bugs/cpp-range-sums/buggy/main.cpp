#include <cstdio>
#include <vector>

int main() {
    int n = 0, q = 0;
    if (std::scanf("%d %d", &n, &q) != 2) {
        return 1;
    }
    std::vector<int> prefix(n + 1);
    for (int i = 0; i < n; ++i) {
        long long movement = 0;
        if (std::scanf("%lld", &movement) != 1) {
            return 1;
        }
        prefix[i + 1] = prefix[i] + movement;
    }
    while (q-- > 0) {
        int l = 0, r = 0;
        if (std::scanf("%d %d", &l, &r) != 2) {
            return 1;
        }
        const long long sum = static_cast<long long>(prefix[r]) - prefix[l - 1];
        std::printf("%lld\n", sum);
    }
    return 0;
}
