#include "master/output_committer.h"

#include <spdlog/spdlog.h>

#include <memory>
#include <utility>

#include "common/log/fields.h"
#include "master/commit.h"
#include "master/output_directory.h"

namespace ontime::master {

OutputCommitter::OutputCommitter(FileWork& file_work, std::string cluster_id, files::Roots roots,
                                 OnCommitted on_committed)
    : file_work_(file_work),
      cluster_id_(std::move(cluster_id)),
      roots_(std::move(roots)),
      on_committed_(std::move(on_committed)) {}

void OutputCommitter::enqueue(JobId job, FileWork::Job work) {
  work.gives_up = false;
  std::deque<FileWork::Job>& queue = queues_[job];
  queue.push_back(std::move(work));
  if (queue.size() == 1) start_first(job);
}

void OutputCommitter::start_first(JobId job) {
  FileWork::Job work = queues_.at(job).front();
  work.done = [this, job, done = std::move(work.done)](const Status& status) {
    const auto queue = queues_.find(job);
    queue->second.pop_front();
    if (queue->second.empty()) {
      queues_.erase(queue);
      under_way_.erase(job);
    } else {
      start_first(job);
    }
    done(status);
  };
  under_way_[job] = file_work_.start(std::move(work));
}

std::string OutputCommitter::problem_of(JobId job) const {
  const auto found = under_way_.find(job);
  return found == under_way_.end() ? "" : file_work_.problem_of(found->second);
}

void OutputCommitter::commit(JobId job, CommitPlan plan) {
  const auto shared = std::make_shared<CommitPlan>(std::move(plan));
  const auto outcome = std::make_shared<Status>();
  FileWork::Job work;
  work.path = shared->directory;
  work.work = [shared, outcome, roots = roots_](const MayGoOn& may_go_on) {
    *outcome = commit_output(*shared, may_go_on, roots);
    *shared = CommitPlan();  // of a million tasks: not the control thread's to take apart
  };
  work.done = [this, job, outcome](const Status&) {
    on_committed_(job, *outcome ? std::string() : outcome->error().message);
  };
  enqueue(job, std::move(work));
}

void OutputCommitter::discard(JobId job, std::string directory, std::uint32_t parts) {
  FileWork::Job work;
  work.path = directory;
  const auto outcome = std::make_shared<Status>();
  work.work = [directory = std::move(directory), parts, outcome, cluster = cluster_id_, roots = roots_](
                  const MayGoOn&) { *outcome = discard_output(directory, parts, cluster, roots); };
  work.done = [job, outcome](const Status&) {
    if (!*outcome) spdlog::warn("output_not_discarded {} message={}", job, log::Quoted{outcome->error().message});
  };
  enqueue(job, std::move(work));
}

}  // namespace ontime::master
