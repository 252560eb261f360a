#pragma once
// What was wrong or lost, from any thread. Time is never a reason to be here.

#include <cstdio>
#include <mutex>
#include <string>

namespace ontime::load {

class Failures {
 public:
  void add(const std::string& what) {
    const std::lock_guard lock(mutex_);
    if (++count_ > kPrinted) return;
    std::printf("WRONG: %s\n", what.c_str());
    std::fflush(stdout);
  }
  std::size_t count() const {
    const std::lock_guard lock(mutex_);
    return count_;
  }

 private:
  static constexpr std::size_t kPrinted = 20;
  mutable std::mutex mutex_;
  std::size_t count_ = 0;
};

}  // namespace ontime::load
