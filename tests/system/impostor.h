#pragma once
// Somebody who takes a master's port while the master is away, speaks the greeting as a master does, and does not know
// the token. Writes down all that it hears. A thread of its own, until it goes.

#include <atomic>
#include <mutex>
#include <string>
#include <thread>

namespace ontime::test {

class Impostor {
 public:
  // On that port of the loopback. Check is_listening().
  explicit Impostor(const std::string& port);
  ~Impostor();
  Impostor(const Impostor&) = delete;
  Impostor& operator=(const Impostor&) = delete;

  bool is_listening() const { return is_listening_; }
  int visitors() const { return visitors_; }  // that have said all they had to say to it
  std::string heard() const;

 private:
  void serve();
  void pose(int peer);
  std::string hear_frame(int peer);

  int listener_;
  bool is_listening_ = false;
  std::atomic<int> visitors_ = 0;
  mutable std::mutex mutex_;
  std::string heard_;
  std::jthread thread_;
};

}  // namespace ontime::test
