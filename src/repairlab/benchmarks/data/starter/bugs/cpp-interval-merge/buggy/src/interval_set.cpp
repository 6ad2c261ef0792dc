#include "interval_set.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace ranges {

void IntervalSet::add(int first, int last) {
    if (first > last) {
        throw std::invalid_argument("interval ends before it begins");
    }
    auto it = spans_.lower_bound(first);
    if (it != spans_.begin() && std::prev(it)->second >= first - 1) {
        --it;
    }
    while (it != spans_.end() && it->first <= last + 1) {
        first = std::min(first, it->first);
        last = std::max(last, it->second);
        spans_.erase(it);
    }
    spans_.emplace(first, last);
}

void IntervalSet::remove(int first, int last) {
    auto it = spans_.upper_bound(first);
    if (it != spans_.begin()) {
        --it;
    }
    while (it != spans_.end() && it->first <= last) {
        const int begin = it->first;
        const int end = it->second;
        if (end < first) {
            ++it;
            continue;
        }
        it = spans_.erase(it);
        if (begin < first) {
            spans_.emplace(begin, first - 1);
        }
        if (end > last) {
            spans_.emplace(last + 1, end);
        }
    }
}

bool IntervalSet::contains(int number) const {
    auto it = spans_.upper_bound(number);
    return it != spans_.begin() && std::prev(it)->second >= number;
}

long long IntervalSet::size() const {
    long long total = 0;
    for (const auto& [first, last] : spans_) {
        total += static_cast<long long>(last) - first + 1;
    }
    return total;
}

std::string IntervalSet::str() const {
    std::string text;
    for (const auto& [first, last] : spans_) {
        if (!text.empty()) {
            text += ',';
        }
        text += std::to_string(first);
        if (last != first) {
            text += '-' + std::to_string(last);
        }
    }
    return text;
}

}  // namespace ranges
