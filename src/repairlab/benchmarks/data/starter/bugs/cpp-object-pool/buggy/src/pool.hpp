#ifndef MEM_POOL_HPP
#define MEM_POOL_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace mem {

/// Names an object of a pool. Once the object is released the handle finds nothing any more.
struct Handle {
    std::uint32_t index = 0;
    std::uint32_t generation = 0;

    bool operator==(const Handle& other) const { return index == other.index && generation == other.generation; }
};

/// Objects in one block of memory; the places of released objects are used again.
template <typename T>
class Pool {
  public:
    Handle acquire(T value) {
        if (free_.empty()) {
            slots_.emplace_back();
            free_.push_back(static_cast<std::uint32_t>(slots_.size() - 1));
        }
        const std::uint32_t index = free_.back();
        free_.pop_back();
        Slot& slot = slots_[index];
        slot.value.emplace(std::move(value));
        return Handle{index, slot.generation};
    }

    /// Gives the object's place back; returns whether the handle was valid.
    bool release(Handle handle) {
        if (get(handle) == nullptr) {
            return false;
        }
        Slot& slot = slots_[handle.index];
        slot.value.reset();
        free_.push_back(handle.index);
        return true;
    }

    /// The object, or nullptr when the handle is no longer valid.
    T* get(Handle handle) {
        if (handle.index >= slots_.size()) {
            return nullptr;
        }
        Slot& slot = slots_[handle.index];
        if (slot.generation != handle.generation || !slot.value) {
            return nullptr;
        }
        return &*slot.value;
    }

    std::size_t size() const { return slots_.size() - free_.size(); }
    std::size_t capacity() const { return slots_.size(); }

    /// Calls `visit(handle, object)` for every object; `visit` may release the object that it is given.
    template <typename Visit>
    void each(Visit visit) {
        for (std::uint32_t index = 0; index < slots_.size(); ++index) {
            if (slots_[index].value) {
                visit(Handle{index, slots_[index].generation}, *slots_[index].value);
            }
        }
    }

  private:
    struct Slot {
        std::optional<T> value;
        std::uint32_t generation = 1;
    };

    std::vector<Slot> slots_;
    std::vector<std::uint32_t> free_;
};

}  // namespace mem

#endif
