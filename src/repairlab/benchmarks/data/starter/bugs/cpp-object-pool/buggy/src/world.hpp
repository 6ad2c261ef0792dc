#ifndef WORLD_HPP
#define WORLD_HPP

#include <cstddef>
#include <string>

#include "pool.hpp"

struct Sprite {
    std::string name;
    int x = 0;
    int speed = 0;
    int steps_left = 1;
};

/// Everything that moves on the screen.
class World {
  public:
    mem::Handle spawn(Sprite sprite);
    bool kill(mem::Handle handle);
    const Sprite* find(mem::Handle handle);

    /// Moves every sprite by its speed and drops those whose time is over.
    void step();

    std::size_t population() const { return sprites_.size(); }

  private:
    mem::Pool<Sprite> sprites_;
};

#endif
