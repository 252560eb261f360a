#include "master/output_committer.h"

#include <spdlog/spdlog.h>

#include <asio/post.hpp>
#include <memory>
#include <utility>

#include "master/commit.h"
#include "master/output_directory.h"

namespace ontime::master {

OutputCommitter::OutputCommitter(asio::any_io_executor control, OnCommitted on_committed)
    : control_(std::move(control)), on_committed_(std::move(on_committed)) {}

OutputCommitter::~OutputCommitter() {
  stop();
  threads_.join();
}

// `work` runs on a pool thread; what it returns runs on the control thread.
void OutputCommitter::run(JobId job, std::function<std::function<void()>()> work) {
  Queue& queue = queues_.try_emplace(job, Queue{asio::make_strand(threads_)}).first->second;
  ++queue.length;
  asio::post(queue.strand, [this, job, work = std::move(work)] {
    asio::post(control_, [this, job, answer = work()] {
      const auto found = queues_.find(job);
      if (--found->second.length == 0) queues_.erase(found);
      answer();
    });
  });
}

void OutputCommitter::commit(JobId job, CommitPlan plan) {
  const auto shared = std::make_shared<const CommitPlan>(std::move(plan));
  run(job, [this, job, shared]() -> std::function<void()> {
    const Status status = commit_output(*shared, [this] { return !stopping_; });
    if (!status && stopping_) return [] {};
    return [this, job, error = status ? std::string() : status.error().message] { on_committed_(job, error); };
  });
}

void OutputCommitter::discard(JobId job, std::string directory, std::uint32_t parts) {
  run(job, [job, directory = std::move(directory), parts]() -> std::function<void()> {
    const Status status = discard_output(directory, parts);
    if (!status) spdlog::warn("output_not_discarded job={} message=\"{}\"", to_string(job), status.error().message);
    return [] {};
  });
}

}  // namespace ontime::master
