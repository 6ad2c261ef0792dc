#include <iostream>
#include <string>

#include "trie.hpp"

int main() {
    std::ios::sync_with_stdio(false);
    std::cin.tie(nullptr);
    int q = 0;
    std::cin >> q;
    Trie dictionary;
    std::string command, text;
    while (q-- > 0 && std::cin >> command >> text) {
        if (command == "add") {
            dictionary.add(text);
        } else {
            std::cout << dictionary.count_prefix(text) << '\n';
        }
    }
    return 0;
}
