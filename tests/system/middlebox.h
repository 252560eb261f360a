#pragma once
// What stands between a worker and its master: passes on what either says, until it is told to forget the connections
// that it has; of them nothing comes through any more, not even their end. New ones are passed on again.

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "worker/data/file_descriptor.h"

namespace ontime::test {

class Middlebox {
 public:
  explicit Middlebox(const std::string& target);  // "127.0.0.1:7400"
  ~Middlebox();

  std::string address() const { return "127.0.0.1:" + port_; }
  void forget_connections() { forgets_ = true; }
  std::size_t connections() const { return accepted_; }  // so far

 private:
  struct Link {
    worker::FileDescriptor ends[2];
    bool is_over = false;       // one side has closed: both are
    bool is_forgotten = false;  // kept open, and nothing else
  };
  void run();
  void accept_one();
  static void pass_on(Link& link, int from);

  const std::string target_port_;
  std::string port_;
  worker::FileDescriptor listener_;
  std::vector<Link> links_;
  std::atomic<bool> forgets_ = false;
  std::atomic<bool> ends_ = false;
  std::atomic<std::size_t> accepted_ = 0;
  std::thread thread_;
};

}  // namespace ontime::test
