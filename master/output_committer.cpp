#include "master/output_committer.h"

#include <spdlog/spdlog.h>

#include <asio/post.hpp>
#include <memory>
#include <utility>

#include "common/log/fields.h"
#include "master/commit.h"
#include "master/output_directory.h"

namespace ontime::master {

OutputCommitter::OutputCommitter(asio::any_io_executor control, std::string cluster_id, files::Roots roots,
                                 OnCommitted on_committed)
    : control_(std::move(control)),
      cluster_id_(std::move(cluster_id)),
      roots_(std::move(roots)),
      on_committed_(std::move(on_committed)) {}

OutputCommitter::~OutputCommitter() {
  stop();
  threads_.join();
}

void OutputCommitter::enqueue(JobId job, Work work) {
  std::deque<Work>& queue = queues_[job];
  queue.push_back(std::move(work));
  if (queue.size() == 1) start_first(job);
}

void OutputCommitter::start_first(JobId job) {
  asio::post(threads_, [this, job, work = queues_.at(job).front()] {
    asio::post(control_, [this, job, answer = work()] {
      const auto queue = queues_.find(job);
      queue->second.pop_front();
      if (queue->second.empty()) {
        queues_.erase(queue);
      } else {
        start_first(job);
      }
      answer();
    });
  });
}

void OutputCommitter::commit(JobId job, CommitPlan plan) {
  const auto shared = std::make_shared<const CommitPlan>(std::move(plan));
  enqueue(job, [this, job, shared]() -> std::function<void()> {
    const Status status = commit_output(
        *shared, [this] { return !stopping_; }, roots_);
    if (!status && stopping_) return [] {};
    return [this, job, error = status ? std::string() : status.error().message] { on_committed_(job, error); };
  });
}

void OutputCommitter::discard(JobId job, std::string directory, std::uint32_t parts) {
  enqueue(job, [this, job, directory = std::move(directory), parts]() -> std::function<void()> {
    const Status status = discard_output(directory, parts, cluster_id_, roots_);
    if (!status) spdlog::warn("output_not_discarded {} message={}", job, log::Quoted{status.error().message});
    return [] {};
  });
}

}  // namespace ontime::master
