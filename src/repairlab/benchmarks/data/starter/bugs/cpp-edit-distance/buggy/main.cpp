#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

int corrections(const std::string& from, const std::string& to) {
    std::vector<std::vector<int>> best(from.size() + 1, std::vector<int>(to.size() + 1));
    for (std::size_t i = 0; i <= from.size(); ++i) {
        best[i][0] = static_cast<int>(i);
    }
    for (std::size_t j = 0; j <= to.size(); ++j) {
        best[0][j] = static_cast<int>(j);
    }
    for (std::size_t i = 1; i <= from.size(); ++i) {
        for (std::size_t j = 1; j <= to.size(); ++j) {
            const int replaced = best[i - 1][j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
            best[i][j] = std::min({replaced, best[i - 1][j] + 1, best[i][j - 1] + 1});
        }
    }
    return best[from.size()][to.size()];
}

int main() {
    std::string from, to;
    std::getline(std::cin, from);
    std::getline(std::cin, to);
    std::cout << corrections(from, to) << '\n';
    return 0;
}
