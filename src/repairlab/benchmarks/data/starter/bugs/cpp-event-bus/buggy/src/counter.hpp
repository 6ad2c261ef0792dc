#ifndef EVENTS_COUNTER_HPP
#define EVENTS_COUNTER_HPP

#include <map>
#include <string>
#include <vector>

#include "bus.hpp"

namespace events {

/// Counts the events of some topics for as long as it lives.
class Counter {
  public:
    Counter(Bus& bus, const std::vector<std::string>& topics);
    ~Counter();
    Counter(const Counter&) = delete;
    Counter& operator=(const Counter&) = delete;

    int seen(const std::string& topic) const;

  private:
    Bus& bus_;
    std::vector<int> ids_;
    std::map<std::string, int> seen_;
};

}  // namespace events

#endif
