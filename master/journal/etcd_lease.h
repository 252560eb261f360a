#pragma once
// A lease in etcd that is renewed until it is given up. It counts as ended here a tenth of its length before etcd could
// end it, by this machine's steady clock from when the latest renewal was sent: so its owner knows first, even cut
// off from etcd.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "common/base/time.h"
#include "master/journal/etcd_client.h"

namespace ontime::journal {

class EtcdLease {
 public:
  // `on_end` is called on a thread of this with the rest of a sentence, for each lease that ends.
  EtcdLease(const EtcdAccess& access, Duration length, std::function<void(const std::string& why)> on_end);
  ~EtcdLease();  // revokes it, so that nobody waits for its end
  EtcdLease(const EtcdLease&) = delete;

  // A new one, asked for by `client`. Any thread.
  EtcdResult<void> begin(EtcdClient& client);
  // Of the one that is live; 0: there is none. Any thread.
  std::int64_t id() const;
  // It ends at once. Any thread.
  void give_up(const std::string& why);

 private:
  using Clock = std::chrono::steady_clock;
  void renew();       // a thread
  void await_ends();  // a thread
  Duration usable() const { return length_ - length_ / 10; }
  Duration silence() const;

  const EtcdAccess& access_;
  const Duration length_;
  const std::function<void(const std::string&)> on_end_;
  std::atomic<bool> is_ending_{false};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t id_ = 0;           // guarded by mutex_, and so is all that follows
  Clock::time_point renew_at_{};  // of that lease
  Clock::time_point end_{};
  std::string trouble_;  // why it is not renewed
  std::thread renewer_;
  std::thread watcher_;
};

}  // namespace ontime::journal
