#pragma once

#include <unistd.h>

#include <cstdint>
#include <utility>

namespace ontime {

// Owns one file descriptor and closes it.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (is_open()) ::close(number_);
  }

  int get() const { return number_; }  // negative: none
  bool is_open() const { return number_ >= 0; }
  explicit operator bool() const { return is_open(); }
  int release() { return std::exchange(number_, -1); }  // the caller's to close from now on
  void close() { Descriptor(std::move(*this)); }

 private:
  int number_ = -1;
};

// Lets this process have as many open files and connections as it may: the soft limit is often a thousand where the
// hard one is a million. Best effort; how many that are now.
std::uint64_t raise_descriptor_limit();

}  // namespace ontime
