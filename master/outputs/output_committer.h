#pragma once
// Commits and discards output directories by FileWork: one after another for one job, jobs beside each other, those of
// one mount as that allows. Called on the control thread, answers there.

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/files/roots.h"
#include "common/output/attempt_log.h"
#include "master/mounts/file_work.h"
#include "master/outputs/output.h"
#include "scheduler/core/action.h"
#include "scheduler/core/event.h"

namespace ontime::master {

class OutputCommitter {
 public:
  // Not called for a commit that the end of `file_work` interrupts: the next master repeats it.
  using OnCommitted = std::function<void(scheduler::event::CommitFinished)>;

  // `roots`: where outputs have to lie.
  OutputCommitter(FileWork& file_work, files::Roots roots, Lasting lasting, OnCommitted on_committed);

  // However long it takes: a file system that hangs holds up the jobs that write to it, and no others.
  // `logs` of its attempts are kept with the output.
  void commit(const scheduler::action::CommitOutput& commit, std::vector<output::AttemptLog> logs);
  void discard(const scheduler::action::DiscardOutput& discard);

  // Why what is under way for the job does not get on; empty if nothing is known to hold it up.
  std::string problem_of(JobId job) const;

  Lasting lasting() const { return lasting_; }
  // Commits or discards that are not done yet.
  bool is_busy_with(JobId job) const { return queues_.contains(job); }

 private:
  void enqueue(JobId job, FileWork::Job work);
  void start_first(JobId job);

  FileWork& file_work_;
  const files::Roots roots_;
  const Lasting lasting_;
  const OnCommitted on_committed_;
  std::map<JobId, std::deque<FileWork::Job>> queues_;                  // the first of each is under way
  std::map<JobId, std::weak_ptr<const FileWork::Running>> under_way_;  // by the same jobs
};

}  // namespace ontime::master
