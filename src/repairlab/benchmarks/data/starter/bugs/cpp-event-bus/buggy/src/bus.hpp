#ifndef EVENTS_BUS_HPP
#define EVENTS_BUS_HPP

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "event.hpp"

namespace events {

using Handler = std::function<void(const Event&)>;

/// Hands events to whoever subscribed to their topic, in the order of subscription.
class Bus {
  public:
    /// Subscribes and returns an id for `off`.
    int on(const std::string& topic, Handler handler);

    /// Cancels a subscription; returns whether there was one.
    bool off(int id);

    /// Calls everybody who is subscribed at this moment and returns how many that were.
    std::size_t emit(const Event& event) const;

    std::size_t subscribers(const std::string& topic) const;

  private:
    struct Subscriber {
        int id;
        Handler handler;
    };

    std::map<std::string, std::vector<Subscriber>> topics_;
    int last_id_ = 0;
};

}  // namespace events

#endif
