#pragma once
// Lets clients wait for the end of a job. Control thread only.

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <cstdint>
#include <map>
#include <memory>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/protocol/client.pb.h"
#include "master/control_loop.h"
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

// Lists of jobs for clients, part by part. Many clients that ask for the same at the same moment share one answer: the
// last one is kept until something durable changes, at most kSharedFor, in which only what is not durable (progress,
// elapsed time) may have moved. Control thread only.
class JobLists {
 public:
  explicit JobLists(const ControlLoop& control) : control_(control) {}

  using Answer = std::shared_ptr<const wire::Reply>;
  // Without accounts.
  Answer list(const wire::Request::ListJobs& request);

 private:
  static constexpr Duration kSharedFor = std::chrono::milliseconds(20);

  Answer make(const wire::Request::ListJobs& request, TimePoint now) const;

  const ControlLoop& control_;
  Answer last_;
  std::uint32_t latest_ = 0;  // that was asked for
  std::uint32_t first_job_ = 0;
  std::uint64_t changes_ = 0;  // when it was made
  TimePoint made_at_;
};

}  // namespace ontime::master
