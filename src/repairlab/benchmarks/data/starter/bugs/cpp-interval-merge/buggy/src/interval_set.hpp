#ifndef RANGES_INTERVAL_SET_HPP
#define RANGES_INTERVAL_SET_HPP

#include <cstddef>
#include <map>
#include <string>

namespace ranges {

/// Whole numbers kept as closed intervals that neither overlap nor touch.
class IntervalSet {
  public:
    /// Adds all numbers from `first` to `last`; neighbours are joined.
    void add(int first, int last);

    /// Takes all numbers from `first` to `last` out of the set.
    void remove(int first, int last);

    bool contains(int number) const;

    /// How many separate intervals there are.
    std::size_t count() const { return spans_.size(); }

    /// How many numbers there are.
    long long size() const;

    /// For example "1-4,7,9-12".
    std::string str() const;

  private:
    std::map<int, int> spans_;  // first number of an interval -> last number
};

}  // namespace ranges

#endif
