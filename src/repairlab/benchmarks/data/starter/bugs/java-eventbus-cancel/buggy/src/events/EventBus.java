package events;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Delivers events to the handlers of their topic, in the order of subscription, on the caller's thread. */
public final class EventBus {
    private final Map<String, List<Subscription>> subscriptions = new HashMap<>();

    public Subscription subscribe(String topic, Consumer<Event> handler) {
        Subscription subscription = new Subscription(this, topic, handler);
        subscriptions.computeIfAbsent(topic, key -> new ArrayList<>()).add(subscription);
        return subscription;
    }

    /** Delivers an event and returns how many handlers got it. */
    public int publish(Event event) {
        int delivered = 0;
        for (Subscription subscription : subscriptions.getOrDefault(event.topic(), List.of())) {
            subscription.deliver(event);
            delivered++;
        }
        return delivered;
    }

    public int publish(String topic, String payload) {
        return publish(new Event(topic, payload));
    }

    public int subscribers(String topic) {
        return subscriptions.getOrDefault(topic, List.of()).size();
    }

    void remove(Subscription subscription) {
        List<Subscription> list = subscriptions.get(subscription.topic());
        if (list == null) {
            return;
        }
        list.remove(subscription);
        if (list.isEmpty()) {
            subscriptions.remove(subscription.topic());
        }
    }
}
