#pragma once
// What can happen to the scheduler. All of them may come late, twice, or from an attempt that is not live any more;
// none of that may harm.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "common/base/byte_range.h"
#include "common/base/ids.h"
#include "common/base/time.h"
#include "scheduler/core/job_spec.h"
#include "scheduler/core/record.h"
#include "scheduler/core/segment_times.h"

namespace ontime::scheduler {

// How far a live attempt has got, from its worker's heartbeat.
struct AttemptProgress {
  AttemptId attempt;
  std::uint64_t offset = 0;        // everything of its range below is mapped
  std::uint64_t records = 0;       // mapped since launch
  std::uint64_t output_bytes = 0;  // written since launch
  SegmentTimes segment{};          // of the one that it works on
};

// What a failed attempt says about where the fault lies.
enum class FailureKind : std::uint8_t {
  Attempt,  // the application threw, its process died
  Storage,  // the node could not read the input or write the output; others may be able to
  Missing,  // the node has no such application, or another version of the input; others may have it
  Node,     // the node could not start it: the node's own state
  Data,     // the input itself, as every node would find it: a record above the limit, a broken compressed stream
  Away,     // a store did not answer the node for as long as attempts wait for one
  // As Storage, unless the job leaves such inputs out (leaves_out()).
  Vanished,    // the node does not find the input
  Unreadable,  // the node may not read the input
  Stalled,     // it stood still for too long: only the scheduler says so
};

namespace event {

// A worker process connected, for the first time or again. Its resent reports follow as events of their own, then
// exactly one NodeInventory. `node` in all other events is what node_of(incarnation) says after this step.
struct NodeRegistered {
  std::string incarnation;
  std::string name;
  std::string host;
  std::uint32_t slots = 0;
  Duration leaves_in{0};  // its worker will leave on its own then, before its machine ends; 0: it knows of no end
};

// All attempts the worker still runs. Those the scheduler believes there but are not are lost; those it does not know
// as live are fenced.
struct NodeInventory {
  NodeId node;
  std::vector<AttemptProgress> running;
};

struct Heartbeat {
  NodeId node;
  std::vector<AttemptProgress> attempts;
};

// Its worker is to end: the node drains and its worker is released (action::ReleaseNode) when nothing of it is live any
// more. Said again with every registration, between NodeRegistered and NodeInventory. At once: it waits no longer, what
// runs there is lost.
struct NodeLeaving {
  NodeId node;
  bool at_once = false;
};

// An operator takes the node out, or back. Does nothing for a node whose worker is leaving.
struct DrainRequested {
  NodeId node;
  bool drain = true;
};

// The events below carry the node that they come from: an attempt is only believed from the node it was launched on.

// The first record is about to be mapped (t_FP of the papers; launch overhead ends here). `age`: since then, if the
// report comes late.
struct AttemptStarted {
  NodeId node;
  AttemptId attempt;
  Duration age{0};
};

// A standby is up and waits to be told where to begin.
struct AttemptReady {
  NodeId node;
  AttemptId attempt;
};

// The boundary that the attempt honours. At or beyond the end of what it holds: nothing was left to cut.
struct CutAnswered {
  NodeId node;
  AttemptId attempt;
  std::uint64_t at = 0;
  bool release = false;
};

struct SegmentSealed {
  NodeId node;
  AttemptId attempt;
  ByteRange range;
  std::uint64_t input_end = 0;
  SealedOutput output;
  Counters counters;
  SegmentTimes times{};
};

// The attempt ended without having sealed all it held.
struct AttemptExited {
  NodeId node;
  AttemptId attempt;
  FailureKind kind = FailureKind::Attempt;
  std::string message;
};

// `request` is the shell's and comes back in the answer.
struct JobSubmitted {
  std::uint64_t request = 0;
  JobSpec spec;
};
// `wanted`: by somebody who may; otherwise the shell itself gives the job up.
struct JobKillRequested {
  JobId job;
  std::string reason;
  bool wanted = false;
};

// The output committer is done; `error` empty on success. `lost`: the tasks, by index, of which sealed bytes are not
// there, or not all; the error is about the first of them then.
struct CommitFinished {
  JobId job;
  std::string error;
  std::vector<std::uint32_t> lost{};
};

// As fact::JobNotified. Nothing happens if the job is not known, asks for no such notice or has had it.
struct JobNotified {
  JobId job;
  std::uint32_t number = 0;
  std::string problem;
};

// The engine of an advised job has launched an attempt on what is open of the task from `begin` on, `age` ago. The
// attempt's number is the task's next one. Nothing happens if no open segment begins there, or no slot of the node is
// free.
struct LaunchedElsewhere {
  NodeId node;
  TaskId task;
  std::uint64_t begin = 0;
  Duration age{0};
};

struct TimePassed {};

}  // namespace event

using Event = std::variant<event::NodeRegistered, event::NodeInventory, event::Heartbeat, event::AttemptStarted,
                           event::AttemptReady, event::CutAnswered, event::SegmentSealed, event::AttemptExited,
                           event::JobSubmitted, event::JobKillRequested, event::CommitFinished, event::NodeLeaving,
                           event::DrainRequested, event::LaunchedElsewhere, event::JobNotified, event::TimePassed>;

std::string describe(const Event& event);  // as a fact's, in record.h

}  // namespace ontime::scheduler
