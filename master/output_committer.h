#pragma once
// Commits and discards output directories on pool threads: one after another for one job, jobs beside each other.
// Called on the control thread, answers there.

#include <asio/any_io_executor.hpp>
#include <asio/thread_pool.hpp>
#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <string>

#include "common/files/roots.h"
#include "master/commit_plan.h"

namespace ontime::master {

class OutputCommitter {
 public:
  // `on_committed` gets the error, empty on success. Not called for a commit that stop() has interrupted.
  using OnCommitted = std::function<void(JobId, const std::string& error)>;

  // `cluster_id`: see output_directory.h. `roots`: where outputs have to lie.
  OutputCommitter(asio::any_io_executor control, std::string cluster_id, files::Roots roots, OnCommitted on_committed);
  ~OutputCommitter();  // stops and waits

  void commit(JobId job, CommitPlan plan);
  void discard(JobId job, std::string directory, std::uint32_t parts);

  // Commits or discards that are not done yet.
  bool is_busy_with(JobId job) const { return queues_.contains(job); }

  // Commits under way end soon, unfinished; the next master repeats them.
  void stop() { stopping_ = true; }

 private:
  // Runs on a pool thread; what it returns runs on the control thread.
  using Work = std::function<std::function<void()>()>;
  void enqueue(JobId job, Work work);
  void start_first(JobId job);

  const asio::any_io_executor control_;
  const std::string cluster_id_;
  const files::Roots roots_;
  const OnCommitted on_committed_;
  std::atomic<bool> stopping_ = false;
  std::map<JobId, std::deque<Work>> queues_;  // the first of each is with a pool thread
  asio::thread_pool threads_{2};
};

}  // namespace ontime::master
