#pragma once
// Lets clients wait for the end of a job. Control thread only.

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <map>
#include <memory>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "master/signal.h"

namespace ontime::master {

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
