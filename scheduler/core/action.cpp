#include "scheduler/core/action.h"

#include <utility>

#include "common/base/check.h"
#include "common/base/compression.h"
#include "scheduler/core/cluster.h"

namespace ontime::scheduler {

action::LaunchAttempt launch_of(const Cluster& cluster, AttemptId id) {
  const Job& job = *cluster.find_job(id.task.job);
  const Task& task = job.tasks[id.task.index];
  const Attempt& attempt = task.attempts.at(id.number);
  action::LaunchAttempt launch;
  launch.node = attempt.node;
  launch.attempt = id;
  launch.range = attempt.held;
  launch.standby = attempt.standby;
  launch.split = {task.file, task.ledger.split()};
  launch.tasks = job.tasks.size();
  launch.spec = job.shared_spec;
  return launch;
}

action::BeginAttempt begin_of(const Cluster& cluster, AttemptId id, ByteRange range) {
  action::LaunchAttempt launch = launch_of(cluster, id);
  return {launch.node, id, range, launch.split, std::move(launch.spec)};
}

action::CommitOutput commit_of(const Cluster& cluster, JobId id) {
  const Job& job = *cluster.find_job(id);
  // A live attempt would change while the commit reads it.
  ONTIME_CHECK(job.live.empty(), "nothing of a job that is committed is live");
  action::CommitOutput commit{id, job.shared_spec, job.tasks.share(), {}, job.counters, job.left_out};
  for (const NodeId node : job.nodes) {
    if (const Node* known = cluster.find_node(node)) commit.node_names.emplace(node, known->name);
  }
  return commit;
}

action::DiscardOutput discard_of(const Cluster& cluster, JobId id) {
  const Job& job = *cluster.find_job(id);
  return {id, job.spec.output, job.spec.claim, job.tasks.size(), parts_ending(job.spec)};
}

}  // namespace ontime::scheduler
