#include "bus.hpp"

#include <algorithm>
#include <utility>

namespace events {

int Bus::on(const std::string& topic, Handler handler) {
    const int id = ++last_id_;
    topics_[topic].push_back(Subscriber{id, std::move(handler)});
    return id;
}

bool Bus::off(int id) {
    for (auto& [topic, subscribers] : topics_) {
        const auto found = std::find_if(subscribers.begin(), subscribers.end(),
                                        [id](const Subscriber& subscriber) { return subscriber.id == id; });
        if (found != subscribers.end()) {
            subscribers.erase(found);
            return true;
        }
    }
    return false;
}

std::size_t Bus::emit(const Event& event) const {
    const auto found = topics_.find(event.topic);
    if (found == topics_.end()) {
        return 0;
    }
    const auto& audience = found->second;
    for (const Subscriber& subscriber : audience) {
        subscriber.handler(event);
    }
    return audience.size();
}

std::size_t Bus::subscribers(const std::string& topic) const {
    const auto found = topics_.find(topic);
    return found == topics_.end() ? 0 : found->second.size();
}

}  // namespace events
