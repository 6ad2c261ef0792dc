#include "counter.hpp"

namespace events {

Counter::Counter(Bus& bus, const std::vector<std::string>& topics) : bus_(bus) {
    for (const std::string& topic : topics) {
        ids_.push_back(bus_.on(topic, [this](const Event& event) { ++seen_[event.topic]; }));
    }
}

Counter::~Counter() {
    for (const int id : ids_) {
        bus_.off(id);
    }
}

int Counter::seen(const std::string& topic) const {
    const auto found = seen_.find(topic);
    return found == seen_.end() ? 0 : found->second;
}

}  // namespace events
