#pragma once
// Lets coroutines wait for something that happens once. Control thread only.

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>

#include "common/base/time.h"
#include "common/net/coroutine.h"

namespace ontime::master {

class Signal {
 public:
  explicit Signal(asio::any_io_executor executor)
      : timer_(std::move(executor), asio::steady_timer::time_point::max()) {}

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

}  // namespace ontime::master
