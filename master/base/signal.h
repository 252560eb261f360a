#pragma once
// Lets coroutines wait for something. Control thread only.

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>
#include <map>
#include <memory>
#include <utility>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/net/coroutine.h"

namespace ontime::master {

// It happens once.
class Signal {
 public:
  explicit Signal(const asio::any_io_executor& executor) : timer_(executor, asio::steady_timer::time_point::max()) {}

  void fire() {
    fired_ = true;
    timer_.cancel();
  }
  bool has_fired() const { return fired_; }

  asio::awaitable<void> wait() {
    if (!fired_) co_await timer_.async_wait(net::no_throw);
  }

  // Until it fires or `limit` has passed. One waiter at a time.
  asio::awaitable<void> wait_for(Duration limit) {
    if (fired_) co_return;
    timer_.expires_after(limit);
    co_await timer_.async_wait(net::no_throw);
  }

 private:
  asio::steady_timer timer_;
  bool fired_ = false;
};

// Lets clients wait for the end of a job.
class JobWatch {
 public:
  explicit JobWatch(asio::any_io_executor executor) : executor_(std::move(executor)) {}

  // Returns when ended(job) is called or `limit` has passed.
  asio::awaitable<void> wait(JobId job, Duration limit) {
    const auto signal = std::make_shared<Signal>(executor_);
    const auto place = waiting_.emplace(job, signal);
    co_await signal->wait_for(limit);
    if (!signal->has_fired()) waiting_.erase(place);
  }

  void ended(JobId job) {
    const auto [first, last] = waiting_.equal_range(job);
    for (auto at = first; at != last; ++at) at->second->fire();
    waiting_.erase(first, last);
  }

 private:
  const asio::any_io_executor executor_;
  std::multimap<JobId, std::shared_ptr<Signal>> waiting_;
};

}  // namespace ontime::master
