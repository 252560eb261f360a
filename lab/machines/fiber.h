#pragma once
// A thread of a simulated process: a stack of its own on the one real thread. It runs until it gives way, so what runs
// when is decided by what resumes it, and the same decisions give the same run.
//
// Thread-local variables of the program and of the libraries that hold state in them (Asio's record of what runs on a
// thread, exceptions being handled, RocksDB's caches) are exchanged whenever another fiber is entered.

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace ontime::lab::machines {

class Fiber {
 public:
  // `body` must not throw.
  explicit Fiber(std::function<void()> body);
  // Its stack is given back as it is: nothing on it is destroyed, as when a process is killed.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Runs it until it gives way or ends. REQUIRES: called from no fiber; it has not ended.
  void resume();
  // Called from within a fiber: back to who resumed it.
  static void give_way();

  bool has_ended() const { return has_ended_; }

 private:
  void bring_locals();
  template <class Copy>
  void copy_locals(Copy&& copy);

  std::function<void()> body_;
  std::byte* stack_ = nullptr;
  std::vector<std::byte> locals_;  // the thread-local variables while it does not run
  boost::context::fiber own_;
  boost::context::fiber resumer_;
  bool has_ended_ = false;
};

}  // namespace ontime::lab::machines
