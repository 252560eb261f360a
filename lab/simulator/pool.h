#pragma once
// Things that are on their way, each in a numbered slot until it is taken out; slots are used again.

#include <cstdint>
#include <utility>
#include <vector>

namespace ontime::lab {

// A slot of `things` that nobody has: one that is used again, or a new one behind the others.
template <class Things>
std::uint32_t take_slot(Things& things, std::vector<std::uint32_t>& free) {
  if (free.empty()) {
    things.emplace_back();
    return static_cast<std::uint32_t>(things.size() - 1);
  }
  const std::uint32_t slot = free.back();
  free.pop_back();
  return slot;
}

template <class T>
class Pool {
 public:
  std::uint32_t put(T thing) {
    const std::uint32_t slot = take_slot(slots_, free_);
    slots_[slot] = std::move(thing);
    return slot;
  }
  T take(std::uint32_t slot) {
    free_.push_back(slot);
    return std::move(slots_[slot]);
  }

 private:
  std::vector<T> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace ontime::lab
