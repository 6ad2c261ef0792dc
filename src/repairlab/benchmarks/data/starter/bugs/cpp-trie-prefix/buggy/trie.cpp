#include "trie.hpp"

Trie::Trie() : root_(std::make_unique<Node>()) {}

void Trie::add(const std::string& word) {
    Node* node = root_.get();
    ++node->words;
    for (const char letter : word) {
        std::unique_ptr<Node>& child = node->next[letter - 'a'];
        if (!child) {
            child = std::make_unique<Node>();
        }
        node = child.get();
        ++node->words;
    }
}

int Trie::count_prefix(const std::string& prefix) const {
    const Node* node = root_.get();
    for (const char letter : prefix) {
        node = node->next[letter - 'a'].get();
    }
    return node->words;
}
