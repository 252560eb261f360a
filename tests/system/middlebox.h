#pragma once
// What stands between a worker and its master: passes on what either says. It can break connections off; forget them, so
// that nothing of them comes through any more, not even their end; become so slow that hardly anything does; and write
// anew what is said.

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/base/descriptor.h"
#include "common/protocol/frame.h"

namespace ontime::test {

class Middlebox {
 public:
  // What becomes of a connection's n-th frame, from 0, of its guest or of its host.
  using Rewrite = std::function<std::vector<std::string>(bool of_guest, std::size_t number, std::string_view payload)>;

  explicit Middlebox(const std::string& target, Rewrite rewrite = {});  // "127.0.0.1:7400"
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
    protocol::FrameDecoder frames[2] = {protocol::FrameDecoder(), protocol::FrameDecoder()};
    std::size_t frames_passed[2] = {0, 0};
  };
  void run();
  void do_as_told();
  void add_allowance(Clock::duration passed);
  void accept_one();
  void pass_on(Link& link, int from) const;
  std::string rewritten(Link& link, int from, std::string_view bytes) const;
  static void close(Link& link);

  const Rewrite rewrite_;  // none: bytes pass as they are
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
