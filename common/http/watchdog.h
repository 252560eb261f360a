#pragma once
// Ends a request whose bytes come too slowly, or that nobody wants any more. The library bounds each of its waits, not
// their sum: of a server that sends a byte a second it would wait as long as the answer is.

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

#include "common/base/time.h"

namespace httplib {
class ClientImpl;
}  // namespace httplib

namespace ontime::http {

// For one try. The clients that it guards outlive it.
class Watchdog {
 public:
  static constexpr Duration kGlance = std::chrono::milliseconds(100);

  // `silence`: how long nothing may come, in all, since it guards a client and later. Behind a first silence so many
  // bytes a second must come in each. Within kGlance of `is_over` becoming true it ends the request too; null: never.
  Watchdog(Duration silence, double bytes_per_second_min, const std::atomic<bool>* is_over);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;

  // The one that is used from now on; the time goes on. Null: none, until the next one, which has its own time.
  void guard(httplib::ClientImpl* client) { set(client, true); }
  // One that may be silent for as long as the library bears it, until nobody wants its answer any more.
  void attend(httplib::ClientImpl* client) { set(client, false); }
  // Have come.
  void add(std::size_t bytes) { bytes_ += bytes; }
  bool has_bitten() const { return has_bitten_; }

 private:
  struct Looks;  // at what has come
  void set(httplib::ClientImpl* client, bool is_timed);
  void watch();
  bool is_late(Looks& looks) const;

  const Duration silence_;
  const double bytes_per_second_min_;
  const std::atomic<bool>* const is_over_;
  std::atomic<std::size_t> bytes_ = 0;
  std::atomic<bool> has_bitten_ = false;
  std::mutex mutex_;
  std::condition_variable done_;
  httplib::ClientImpl* client_ = nullptr;
  bool is_timed_ = false;
  bool is_done_ = false;
  std::jthread thread_;  // last: it ends before the rest goes
};

}  // namespace ontime::http
