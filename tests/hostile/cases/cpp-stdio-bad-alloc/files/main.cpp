#include <vector>
int main() { std::vector<std::vector<char>> kept; while (true) kept.emplace_back(1 << 20, 'x'); }
