#pragma once
// What was wrong or lost, from any thread. Time is never a reason to be here.

#include <cstdio>
#include <exception>
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

// Of a campaign that says whether all was well, and throws where it cannot go on.
template <class Run>
int exit_code(Run run) {
  try {
    return run() ? 0 : 1;
  } catch (const std::exception& error) {
    std::printf("WRONG: %s\n", error.what());
    return 1;
  }
}

}  // namespace ontime::load
