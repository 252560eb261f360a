#pragma once
// What stands between a worker and its master: passes on what either says. It can break connections off; forget them, so
// that nothing of them comes through any more, not even their end; and become so slow that hardly anything does.

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/base/descriptor.h"


namespace ontime::test {

class Middlebox {
 public:
  explicit Middlebox(const std::string& target);  // "127.0.0.1:7400"
  ~Middlebox();

  std::string address() const { return "127.0.0.1:" + port_; }
  std::size_t connections() const { return accepted_; }  // so far

  // Of the connections that there are. New ones are passed on.
  void forget_connections() { forgets_ = true; }
  void break_connections() { breaks_ = true; }
  // Of each connection in each direction, new ones too. What was sent waits here meanwhile, as in the buffers of a slow
  // link; the end of a connection comes behind it.
  void limit_bytes_per_second(std::uint32_t bytes) { bytes_per_second_ = bytes; }
  void lift_limit() { bytes_per_second_ = kUnlimited; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint32_t kUnlimited = 1u << 30;

  struct Link {
    Descriptor ends[2];
    double may_pass[2] = {0, 0};  // bytes from either end
    bool is_over = false;         // one side has closed: both are
    bool is_forgotten = false;    // kept open, and nothing else
  };
  void run();
  void do_as_told();
  void add_allowance(Clock::duration passed);
  void accept_one();
  static void pass_on(Link& link, int from);
  static void close(Link& link);

  const std::string target_port_;
  std::string port_;
  Descriptor listener_;
  std::vector<Link> links_;
  std::atomic<bool> forgets_ = false;
  std::atomic<bool> breaks_ = false;
  std::atomic<std::uint32_t> bytes_per_second_ = kUnlimited;
  std::atomic<bool> ends_ = false;
  std::atomic<std::size_t> accepted_ = 0;
  std::thread thread_;
};

}  // namespace ontime::test
