#pragma once
// Answers that many clients share, as they cost much or are asked for often. Control thread only.

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "common/protocol/client.pb.h"
#include "master/base/signal.h"
#include "master/loop/control_loop.h"
#include "scheduler/core/account.h"

namespace ontime::master {

struct PolicyAccount {
  std::uint32_t jobs = 0;
  scheduler::JobAccount account;
};

// What jobs have cost (scheduler/core/account.h), for clients. Adding up a million tasks at once would delay
// heartbeats, so they are added up in slices, with other work in between. A task that changes between two slices counts
// as it was or as it is. Clients that ask for the same account share it. The account of a job that has ended is kept.
// A running job's account is kept longer the more tasks it has, so that a client that asks all the time takes a small
// part of the thread.
class Accounts {
 public:
  // The cluster outlives it; its jobs may change and vanish at any time but during a call.
  Accounts(asio::any_io_executor executor, const scheduler::Cluster& cluster, std::function<TimePoint()> now)
      : executor_(std::move(executor)), cluster_(cluster), now_(std::move(now)) {}

  // Of a job that has ended by then, the final one. None if there is no such job, or no more by then.
  asio::awaitable<std::optional<scheduler::JobAccount>> of_job(JobId id);
  // The sums over all jobs that are remembered, by their policy.
  asio::awaitable<std::map<std::string, PolicyAccount>> by_policy();

  static constexpr std::size_t kSlice = 1000;  // tasks; about half a millisecond
  static constexpr std::size_t kSmall = 16;    // tasks of a job that is added up anew each time
  // How long the account of a running job is kept, for each of its tasks: some 200 times what adding it up takes.
  static constexpr Duration kGoodForTask = std::chrono::microseconds(50);

 private:
  struct CachedAccount {
    scheduler::JobAccount account;
    TimePoint made_at;
    bool is_final = false;
    std::shared_ptr<Signal> being_made;  // fires when it is known
  };

  bool is_good(const CachedAccount& known, const scheduler::Job& job) const;
  asio::awaitable<void> make(JobId id, std::shared_ptr<CachedAccount> known);
  // Whether other work is due before one more task or job is added.
  bool is_slice_over() { return ++looked_at_ % kSlice == 0; }
  void drop_forgotten_jobs();

  const asio::any_io_executor executor_;
  const scheduler::Cluster& cluster_;
  const std::function<TimePoint()> now_;
  std::map<JobId, std::shared_ptr<CachedAccount>> known_;
  std::size_t looked_at_ = 0;
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
