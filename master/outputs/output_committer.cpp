#include "master/outputs/output_committer.h"

#include <spdlog/spdlog.h>

#include <memory>
#include <utility>

#include "common/log/fields.h"
#include "master/outputs/output.h"

namespace ontime::master {

OutputCommitter::OutputCommitter(FileWork& file_work, files::Roots roots, Lasting lasting, OnCommitted on_committed)
    : file_work_(file_work), roots_(std::move(roots)), lasting_(lasting), on_committed_(std::move(on_committed)) {}

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

void OutputCommitter::commit(const scheduler::action::CommitOutput& commit, std::vector<output::AttemptLog> logs) {
  const JobId job = commit.job;
  const auto outcome = std::make_shared<PublishOutcome>();
  FileWork::Job work;
  work.path = commit.spec->output;
  // The plan of a million tasks takes a while to make and to take apart: both are the pool's work.
  work.work = [commit, logs = std::move(logs), outcome, roots = roots_, lasting = lasting_](const MayGoOn& may_go_on) {
    CommitPlan plan = make_commit_plan(commit);
    plan.logs = logs;
    *outcome = Output::at(commit.spec->output, commit.spec->claim, roots, lasting)->publish(plan, may_go_on);
  };
  work.done = [this, job, outcome](const Status& worked) {
    if (!worked) *outcome = {worked};
    const Status& status = outcome->status;
    if (!outcome->lost.empty()) {
      spdlog::warn("output_lost {} tasks={} message={}", job, outcome->lost.size(),
                   log::Quoted{status.error().message});
    }
    on_committed_({job, status ? std::string() : status.error().message, std::move(outcome->lost)});
  };
  enqueue(job, std::move(work));
}

void OutputCommitter::discard(const scheduler::action::DiscardOutput& discard) {
  FileWork::Job work;
  work.path = discard.output;
  const auto outcome = std::make_shared<Status>();
  work.work = [discard, outcome, roots = roots_](const MayGoOn&) {
    *outcome = Output::at(discard.output, discard.claim, roots)->discard(discard.tasks, discard.parts_ending);
  };
  work.done = [job = discard.job, outcome](const Status& worked) {
    const Status& status = worked ? *outcome : worked;
    if (!status) spdlog::warn("output_not_discarded {} message={}", job, log::Quoted{status.error().message});
  };
  enqueue(discard.job, std::move(work));
}

}  // namespace ontime::master
