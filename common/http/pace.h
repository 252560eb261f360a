#pragma once
// Tells when the bytes of a server come too slowly.

#include <array>
#include <chrono>
#include <cstddef>

#include "common/base/time.h"

namespace ontime::http {

class Pace {
 public:
  // `silence`: how long nothing may come. Behind a first silence so many bytes a second must come in each.
  Pace(Duration silence, double bytes_per_second_min);

  // Have come.
  void add(std::size_t bytes) { bytes_ += bytes; }
  // To be asked again and again, at once when until_look() is over.
  bool is_late();
  Duration until_look() const { return next_look_ - Clock::now(); }
  // The server was not waited for just now. A wait that was too long for a look makes the time begin anew.
  void skip_wait();

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kLooks = 8;  // in each silence, at what has come

  Duration silence_;
  double bytes_per_second_min_;
  std::size_t bytes_ = 0;
  std::size_t looks_ = 0;
  std::array<std::size_t, kLooks> seen_{};  // bytes at the latest looks
  Clock::time_point next_look_;
};

}  // namespace ontime::http
