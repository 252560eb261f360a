#pragma once
// What the shell is to do, in this order, once the records of the same step are durable.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "common/base/byte_range.h"
#include "common/base/ids.h"

namespace ontime::scheduler {

namespace action {

// File, application and parameters are the job's: see Cluster::job and Task::split. A standby only gets ready and waits
// for BeginAttempt.
struct LaunchAttempt {
  NodeId node;
  AttemptId attempt;
  ByteRange range;
  bool standby = false;
};

struct BeginAttempt {
  NodeId node;
  AttemptId attempt;
  ByteRange range;
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

// Put the parts together, write manifest and _SUCCESS; answer with event::CommitFinished. May be repeated.
struct CommitOutput {
  JobId job;
};

// The job did not succeed: remove what its attempts wrote. Nothing is answered.
struct DiscardOutput {
  JobId job;
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

}  // namespace ontime::scheduler
