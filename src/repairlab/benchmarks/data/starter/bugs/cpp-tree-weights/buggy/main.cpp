#include <iostream>
#include <vector>

using Tree = std::vector<std::vector<int>>;

long long subtree_weight(const Tree tree, const std::vector<long long>& salary, int employee) {
    long long total = salary[employee];
    for (const int below : tree[employee]) {
        total += subtree_weight(tree, salary, below);
    }
    return total;
}

int main() {
    std::ios::sync_with_stdio(false);
    std::cin.tie(nullptr);
    int n = 0;
    std::cin >> n;
    std::vector<long long> salary(n + 1);
    for (int i = 1; i <= n; ++i) {
        std::cin >> salary[i];
    }
    Tree tree(n + 1);
    for (int i = 2; i <= n; ++i) {
        int superior = 0;
        std::cin >> superior;
        tree[superior].push_back(i);
    }
    for (const int head : tree[1]) {
        std::cout << subtree_weight(tree, salary, head) << '\n';
    }
    std::cout << subtree_weight(tree, salary, 1) << '\n';
    return 0;
}
