package events;

import java.util.Objects;

/** Something that happened: a topic and a text. */
public final class Event {
    private final String topic;
    private final String payload;

    public Event(String topic, String payload) {
        this.topic = Objects.requireNonNull(topic, "topic");
        this.payload = Objects.requireNonNull(payload, "payload");
    }

    public String topic() {
        return topic;
    }

    public String payload() {
        return payload;
    }
}
