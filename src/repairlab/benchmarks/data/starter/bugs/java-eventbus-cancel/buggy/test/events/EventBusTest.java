package events;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventBusTest {
    private final EventBus bus = new EventBus();
    private final List<String> log = new ArrayList<>();

    private Subscription listen(String name) {
        return bus.subscribe("door", event -> log.add(name + ":" + event.payload()));
    }

    @Test
    void handlersRunInOrderOfSubscription() {
        listen("a");
        listen("b");
        assertEquals(2, bus.publish("door", "open"));
        assertEquals(List.of("a:open", "b:open"), log);
    }

    @Test
    void otherTopicsAreNotDelivered() {
        listen("a");
        assertEquals(0, bus.publish("window", "open"));
        assertEquals(List.of(), log);
    }

    @Test
    void cancelledHandlerGetsNothing() {
        Subscription a = listen("a");
        listen("b");
        a.cancel();
        assertEquals(1, bus.publish("door", "open"));
        assertEquals(List.of("b:open"), log);
        assertEquals(1, bus.subscribers("door"));
    }

    @Test
    void cancellingTwiceIsHarmless() {
        Subscription a = listen("a");
        listen("b");
        a.cancel();
        a.cancel();
        assertEquals(1, bus.subscribers("door"));
    }

    @Test
    void handlerMayPublishOnAnotherTopic() {
        bus.subscribe("bell", event -> bus.publish("door", "open"));
        listen("a");
        assertEquals(1, bus.publish("bell", "ring"));
        assertEquals(List.of("a:open"), log);
    }

    @Test
    void handlerMayCancelItself() {
        List<Subscription> own = new ArrayList<>();
        own.add(bus.subscribe("door", event -> {
            log.add("once");
            own.get(0).cancel();
        }));
        listen("a");
        listen("b");
        assertEquals(3, bus.publish("door", "1"));
        assertEquals(2, bus.publish("door", "2"));
        assertEquals(List.of("once", "a:1", "b:1", "a:2", "b:2"), log);
    }

    @Test
    void handlerCancelledDuringDeliveryGetsNothingMore() {
        List<Subscription> later = new ArrayList<>();
        bus.subscribe("door", event -> later.forEach(Subscription::cancel));
        later.add(listen("a"));
        listen("b");
        assertEquals(2, bus.publish("door", "open"));
        assertEquals(List.of("b:open"), log);
    }

    @Test
    void handlerAddedDuringDeliveryWaitsForTheNextEvent() {
        bus.subscribe("door", event -> {
            if (bus.subscribers("door") == 1) {
                listen("new");
            }
        });
        assertEquals(1, bus.publish("door", "1"));
        assertEquals(2, bus.publish("door", "2"));
        assertEquals(List.of("new:2"), log);
    }
}
