#include "bus.hpp"

#include <gtest/gtest.h>

#include <string>

#include "counter.hpp"

using events::Bus;
using events::Counter;
using events::Event;

TEST(Bus, CallsHandlersInOrder) {
    Bus bus;
    std::string log;
    bus.on("save", [&](const Event& event) { log += "a:" + event.payload + " "; });
    bus.on("save", [&](const Event& event) { log += "b:" + event.payload; });
    EXPECT_EQ(bus.emit({"save", "x"}), 2u);
    EXPECT_EQ(log, "a:x b:x");
}

TEST(Bus, IgnoresOtherTopics) {
    Bus bus;
    int calls = 0;
    bus.on("save", [&](const Event&) { ++calls; });
    EXPECT_EQ(bus.emit({"load", ""}), 0u);
    EXPECT_EQ(calls, 0);
}

TEST(Bus, OffRemovesOneHandler) {
    Bus bus;
    std::string log;
    const int first = bus.on("save", [&](const Event&) { log += 'a'; });
    bus.on("save", [&](const Event&) { log += 'b'; });
    EXPECT_TRUE(bus.off(first));
    EXPECT_EQ(bus.emit({"save", ""}), 1u);
    EXPECT_EQ(log, "b");
}

TEST(Bus, OffReportsUnknownIds) {
    Bus bus;
    const int id = bus.on("save", [](const Event&) {});
    EXPECT_FALSE(bus.off(id + 1));
    EXPECT_TRUE(bus.off(id));
    EXPECT_FALSE(bus.off(id));
}

TEST(Bus, HandlerMaySubscribeMoreHandlers) {
    Bus bus;
    int late = 0;
    int hello = 0;
    bus.on("startup", [&](const Event&) {
        for (int i = 0; i < 20; ++i) {
            bus.on("startup", [&late](const Event&) { ++late; });
        }
    });
    bus.on("startup", [&](const Event&) { ++hello; });
    EXPECT_EQ(bus.emit({"startup", ""}), 2u);
    EXPECT_EQ(hello, 1);
    EXPECT_EQ(late, 0);
    EXPECT_EQ(bus.subscribers("startup"), 22u);
}

TEST(Bus, HandlerMayCancelItself) {
    Bus bus;
    std::string log;
    int id = 0;
    id = bus.on("tick", [&](const Event&) {
        log += 'a';
        bus.off(id);
    });
    bus.on("tick", [&](const Event&) { log += 'b'; });
    bus.on("tick", [&](const Event&) { log += 'c'; });
    EXPECT_EQ(bus.emit({"tick", ""}), 3u);
    EXPECT_EQ(log, "abc");
    EXPECT_EQ(bus.emit({"tick", ""}), 2u);
    EXPECT_EQ(log, "abcbc");
}

TEST(Counter, CountsPerTopic) {
    Bus bus;
    Counter counter(bus, {"save", "load"});
    bus.emit({"save", ""});
    bus.emit({"save", ""});
    bus.emit({"load", ""});
    EXPECT_EQ(counter.seen("save"), 2);
    EXPECT_EQ(counter.seen("load"), 1);
    EXPECT_EQ(counter.seen("quit"), 0);
}

TEST(Counter, StopsCountingWhenDestroyed) {
    Bus bus;
    {
        Counter counter(bus, {"save"});
        EXPECT_EQ(bus.subscribers("save"), 1u);
    }
    EXPECT_EQ(bus.subscribers("save"), 0u);
    EXPECT_EQ(bus.emit({"save", ""}), 0u);
}
