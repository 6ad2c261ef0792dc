#include "world.hpp"

#include <utility>

mem::Handle World::spawn(Sprite sprite) {
    return sprites_.acquire(std::move(sprite));
}

bool World::kill(mem::Handle handle) {
    return sprites_.release(handle);
}

const Sprite* World::find(mem::Handle handle) {
    return sprites_.get(handle);
}

void World::step() {
    sprites_.each([this](mem::Handle handle, Sprite& sprite) {
        sprite.x += sprite.speed;
        if (--sprite.steps_left == 0) {
            sprites_.release(handle);
        }
    });
}
