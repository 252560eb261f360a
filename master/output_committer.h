#pragma once
// Commits and discards output directories on pool threads: one after another for one job, jobs beside each other.
// Called on the control thread, answers there.

#include <asio/any_io_executor.hpp>
#include <asio/strand.hpp>
#include <asio/thread_pool.hpp>
#include <atomic>
#include <functional>
#include <map>
#include <string>

#include "master/commit_plan.h"

namespace ontime::master {

class OutputCommitter {
 public:
  // `on_committed` gets the error, empty on success. Not called for a commit that stop() has interrupted.
  using OnCommitted = std::function<void(JobId, const std::string& error)>;

  OutputCommitter(asio::any_io_executor control, OnCommitted on_committed);
  ~OutputCommitter();  // stops and waits

  void commit(JobId job, CommitPlan plan);
  void discard(JobId job, std::string directory, std::uint32_t parts);

  // Commits under way end soon, unfinished; the next master repeats them.
  void stop() { stopping_ = true; }

 private:
  using Strand = asio::strand<asio::thread_pool::executor_type>;
  struct Queue {
    Strand strand;
    std::size_t length = 0;  // work not yet done; at 0 the queue goes
  };
  void run(JobId job, std::function<std::function<void()>()> work);

  const asio::any_io_executor control_;
  const OnCommitted on_committed_;
  std::atomic<bool> stopping_ = false;
  std::map<JobId, Queue> queues_;
  asio::thread_pool threads_{2};
};

}  // namespace ontime::master
