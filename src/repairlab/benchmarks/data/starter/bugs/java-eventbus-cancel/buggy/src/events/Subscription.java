package events;

import java.util.function.Consumer;

/** A handler's place on a bus; after {@link #cancel} the handler gets no more events. */
public final class Subscription {
    private final EventBus bus;
    private final String topic;
    private final Consumer<Event> handler;

    Subscription(EventBus bus, String topic, Consumer<Event> handler) {
        this.bus = bus;
        this.topic = topic;
        this.handler = handler;
    }

    public String topic() {
        return topic;
    }

    /** Ends the subscription; doing so twice is harmless. */
    public void cancel() {
        bus.remove(this);
    }

    void deliver(Event event) {
        handler.accept(event);
    }
}
