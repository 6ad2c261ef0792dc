#ifndef EVENTS_EVENT_HPP
#define EVENTS_EVENT_HPP

#include <string>

namespace events {

struct Event {
    std::string topic;
    std::string payload;
};

}  // namespace events

#endif
