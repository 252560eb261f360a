#pragma once
// What the shell is to do, in this order, once the records of the same step are durable. An action carries all that
// performing it takes: by then the cluster may be many steps ahead, so performers never look at it. What is large is
// shared with the job and immutable.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "common/base/byte_range.h"
#include "common/base/ids.h"
#include "scheduler/core/job_spec.h"
#include "scheduler/core/record.h"
#include "scheduler/core/task.h"

namespace ontime::scheduler {

class Cluster;

namespace action {

// A standby only gets ready and waits for BeginAttempt.
struct LaunchAttempt {
  NodeId node;
  AttemptId attempt;
  ByteRange range;
  bool standby = false;
  Split split;                          // of its task; its file is one of the job's inputs
  std::uint32_t tasks = 0;              // of its job
  std::shared_ptr<const JobSpec> spec;  // of its job
};

struct BeginAttempt {
  NodeId node;
  AttemptId attempt;
  ByteRange range;
  Split split;                          // as of its launch
  std::shared_ptr<const JobSpec> spec;  // of its job
};

// Ask the attempt to end what it may claim at `at`, or where it stands if it is past that. See design section 3.
struct CutAttempt {
  NodeId node;
  AttemptId attempt;
  std::uint64_t at = 0;
  bool release = false;
};

struct KillAttempt {
  NodeId node;
  AttemptId attempt;
  std::string reason;
};

// The answer to NodeInventory: the node is welcome under this id; these attempts of its are not live any more.
struct WelcomeNode {
  NodeId node;
  std::vector<AttemptId> fenced;
};

// The node has been silent too long: close its connection, so that it has to register again.
struct DropNode {
  NodeId node;
};

// The node's worker, which is leaving, may end: nothing of it is live, and all that it has sealed is durable.
struct ReleaseNode {
  NodeId node;
};

// Put the parts together, write manifest and _SUCCESS; answer with event::CommitFinished. May be repeated. Nothing that
// it refers to changes any more, so another thread may read it.
struct CommitOutput {
  JobId job;
  std::shared_ptr<const JobSpec> spec;
  SharedTasks tasks;  // every segment is sealed, no attempt is live
  std::map<NodeId, std::string> node_names;        // of the nodes that ran attempts
  Counters counters;
  std::map<std::uint32_t, std::string> left_out;  // as Job::left_out
};

// The job did not succeed: remove what its attempts wrote. Nothing is answered.
struct DiscardOutput {
  JobId job;
  std::string output;
  std::string claim;
  std::uint32_t tasks = 0;
  std::string parts_ending;  // what names of part files end in
};

// The job has ended: the node may end its runners. Sent to every node that ever ran one of its attempts.
struct ForgetJob {
  NodeId node;
  JobId job;
};

// Answers event::JobSubmitted.
struct AnswerSubmit {
  std::uint64_t request = 0;
  JobId job;
  std::uint32_t tasks = 0;
};

}  // namespace action

using Action = std::variant<action::LaunchAttempt, action::BeginAttempt, action::CutAttempt, action::KillAttempt,
                            action::WelcomeNode, action::DropNode, action::CommitOutput, action::DiscardOutput,
                            action::ForgetJob, action::AnswerSubmit, action::ReleaseNode>;

std::string describe(const Action& action);  // as a fact's, in record.h

// These take from the cluster, as it is at the moment of the decision, what the action has to carry.
action::LaunchAttempt launch_of(const Cluster& cluster, AttemptId attempt);
action::BeginAttempt begin_of(const Cluster& cluster, AttemptId attempt, ByteRange range);
// REQUIRES: every task of the job is done.
action::CommitOutput commit_of(const Cluster& cluster, JobId job);
action::DiscardOutput discard_of(const Cluster& cluster, JobId job);

}  // namespace ontime::scheduler
