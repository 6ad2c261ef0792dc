#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "pool.hpp"
#include "world.hpp"

#define CHECK(condition)                                                               \
    do {                                                                               \
        if (!(condition)) {                                                            \
            std::fprintf(stderr, "%s:%d: %s is false\n", __FILE__, __LINE__, #condition); \
            return false;                                                              \
        }                                                                              \
    } while (false)

namespace {

bool new_object_is_found() {
    mem::Pool<std::string> pool;
    const mem::Handle handle = pool.acquire("one");
    CHECK(pool.get(handle) != nullptr);
    CHECK(*pool.get(handle) == "one");
    CHECK(pool.size() == 1);
    CHECK(pool.get(mem::Handle{}) == nullptr);
    return true;
}

bool released_object_is_gone() {
    mem::Pool<std::string> pool;
    const mem::Handle handle = pool.acquire("one");
    CHECK(pool.release(handle));
    CHECK(pool.get(handle) == nullptr);
    CHECK(!pool.release(handle));
    CHECK(pool.size() == 0);
    return true;
}

bool slots_are_used_again() {
    mem::Pool<int> pool;
    for (int i = 0; i < 100; ++i) {
        const mem::Handle handle = pool.acquire(i);
        CHECK(*pool.get(handle) == i);
        pool.release(handle);
    }
    CHECK(pool.capacity() == 1);
    return true;
}

bool growing_keeps_objects() {
    mem::Pool<int> pool;
    std::vector<mem::Handle> handles;
    for (int i = 0; i < 50; ++i) {
        handles.push_back(pool.acquire(i));
    }
    for (int i = 0; i < 50; ++i) {
        CHECK(*pool.get(handles[i]) == i);
    }
    CHECK(pool.size() == 50);
    return true;
}

bool stale_handle_finds_nothing() {
    mem::Pool<std::string> pool;
    const mem::Handle old = pool.acquire("spark");
    pool.release(old);
    const mem::Handle current = pool.acquire("smoke");
    CHECK(pool.get(old) == nullptr);
    CHECK(!(old == current));
    CHECK(*pool.get(current) == "smoke");
    return true;
}

bool killing_twice_spares_the_successor() {
    World world;
    const mem::Handle first = world.spawn({"spark", 0, 1, 5});
    CHECK(world.kill(first));
    const mem::Handle second = world.spawn({"smoke", 0, 1, 5});
    CHECK(!world.kill(first));
    CHECK(world.find(second) != nullptr);
    CHECK(world.population() == 1);
    return true;
}

bool step_moves_sprites() {
    World world;
    const mem::Handle slow = world.spawn({"slow", 10, 1, 9});
    const mem::Handle fast = world.spawn({"fast", 10, -4, 9});
    world.step();
    world.step();
    CHECK(world.find(slow)->x == 12);
    CHECK(world.find(fast)->x == 2);
    return true;
}

bool step_drops_faded_sprites() {
    World world;
    const mem::Handle brief = world.spawn({"brief", 0, 0, 1});
    const mem::Handle lasting = world.spawn({"lasting", 0, 0, 3});
    world.step();
    CHECK(world.find(brief) == nullptr);
    CHECK(world.find(lasting) != nullptr);
    CHECK(world.population() == 1);
    return true;
}

struct Test {
    const char* name;
    bool (*run)();
};

const Test tests[] = {
    {"new_object_is_found", new_object_is_found},
    {"released_object_is_gone", released_object_is_gone},
    {"slots_are_used_again", slots_are_used_again},
    {"growing_keeps_objects", growing_keeps_objects},
    {"stale_handle_finds_nothing", stale_handle_finds_nothing},
    {"killing_twice_spares_the_successor", killing_twice_spares_the_successor},
    {"step_moves_sprites", step_moves_sprites},
    {"step_drops_faded_sprites", step_drops_faded_sprites},
};

}  // namespace

int main(int argc, char** argv) {
    for (const Test& test : tests) {
        if (argc == 2 && std::strcmp(argv[1], test.name) == 0) {
            return test.run() ? 0 : 1;
        }
    }
    std::fprintf(stderr, "usage: pool_tests NAME\n");
    return 2;
}
