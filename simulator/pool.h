#pragma once
// Things that are on their way, each in a numbered slot until it is taken out; slots are used again.

#include <cstdint>
#include <utility>
#include <vector>

namespace ontime::simulator {

template <class T>
class Pool {
 public:
  std::uint32_t put(T thing) {
    if (free_.empty()) {
      slots_.push_back(std::move(thing));
      return static_cast<std::uint32_t>(slots_.size() - 1);
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
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

}  // namespace ontime::simulator
