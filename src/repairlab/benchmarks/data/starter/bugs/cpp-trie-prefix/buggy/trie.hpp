#ifndef TRIE_HPP
#define TRIE_HPP

#include <array>
#include <memory>
#include <string>

class Trie {
  public:
    Trie();
    void add(const std::string& word);
    int count_prefix(const std::string& prefix) const;

  private:
    struct Node {
        std::array<std::unique_ptr<Node>, 26> next;
        int words = 0;
    };

    std::unique_ptr<Node> root_;
};

#endif
