#pragma once
// The durable facts. The journal stores them, in order, before any action of the same step is performed; replaying
// them rebuilds the cluster. Each is applied by Cluster::apply and by nothing else.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "common/base/byte_range.h"
#include "common/base/ids.h"
#include "common/base/time.h"
#include "scheduler/core/job_spec.h"
#include "scheduler/core/node.h"
#include "scheduler/core/segment_times.h"
#include "scheduler/math/durations.h"

namespace ontime::scheduler {

using CounterKey = std::pair<std::string, std::string>;  // group, name
using Counters = std::map<CounterKey, std::uint64_t>;

// The range of an attempt's output file that holds all output of one segment.
struct SealedOutput {
  std::uint64_t file_offset = 0;
  std::uint64_t length = 0;
  std::uint64_t records = 0;  // input records
  std::uint32_t crc32c = 0;
  std::uint64_t content_length = 0;  // before compression; 0: it is not compressed
  bool operator==(const SealedOutput&) const = default;
};

// How an attempt that did not seal all it held has ended.
enum class AttemptEnd : std::uint8_t {
  Succeeded,  // sealed all it held; never recorded, follows from the seals
  Failed,     // counts against its segment
  Fatal,      // fails the job: a later attempt would fail in the same way
  Killed,     // by the scheduler: lost a race, job ended, policy
  Lost,       // with its node, or the order to launch it never arrived
  Silent,     // by the scheduler: it did not answer a cut in time
  Stalled,    // failed: it made no progress. Counts against its segment, and doubles the time for the next one there
  Excused,    // failed, but nothing speaks against its segment: it does not count
};

const char* name_of(AttemptEnd end);

enum class JobState : std::uint8_t { Running, Committing, Succeeded, Failed, Killed };
constexpr bool is_final(JobState s) {
  return s == JobState::Succeeded || s == JobState::Failed || s == JobState::Killed;
}
const char* name_of(JobState state);  // "running", "committing", "succeeded", "failed", "killed"

// One decision of a policy, for people.
struct DecisionNote {
  enum class What : std::uint8_t { Speculate, Divide, Clone, EndAttempt, Note };
  What what = What::Note;
  std::optional<std::uint32_t> task;     // index; none: the whole job
  std::optional<std::uint32_t> attempt;  // number: that was cut or ended
  std::string reason;                    // code
  std::uint64_t segment = 0;             // begin of the segment that it is about
  std::optional<std::uint64_t> resume_at;
  std::uint32_t pieces = 1;
  std::uint32_t copies = 0;  // fresh attempts, over all pieces
  bool release = false;
  bool when_ready = false;  // Handover::Ready
  double completion = 0;    // seconds after submission; NaN: not known. The next two likewise.
  double pocd_before = 0;
  double pocd_after = 0;
  // Bytes per second of the attempt that is cut, raced or ended, and of usual ones; 0: not known.
  double rate = 0;
  double usual_rate = 0;
  std::string text;  // Note: what it says
  // Note: what was chosen, for code that goes by it. The text is for people.
  std::optional<std::uint32_t> number{};  // r or c
  std::string policy{};                   // by `auto`
};

const char* name_of(DecisionNote::What what);  // "end-attempt"

// Reasons of notes that are not a policy's own: `none` stands in for the job's policy, or no longer does.
inline constexpr const char* kPolicyMissing = "policy-missing";
inline constexpr const char* kPolicyBack = "policy-back";
// Reason of a note at the end of a job that would have been faster without copies and cuts.
inline constexpr const char* kSlowerThanNothing = "slower-than-nothing";

namespace fact {

// First record after every start of a master on this journal. Attempts of older epochs live on only if their worker
// reports them again.
struct MasterStarted {
  std::uint64_t epoch = 0;
};

// A worker process was seen for the first time.
struct NodeAdded {
  NodeId node;
  std::string incarnation;  // random, one per worker process
  std::string name;
  std::string host;
  std::uint32_t slots = 0;
};

// An operator takes the node out or back, its worker wants to leave, or has left.
struct DutyChanged {
  NodeId node;
  Duty duty = Duty::Serves;
};

struct JobAccepted {
  JobId job;
  JobSpec spec;
};

// `range` is the open segment that it starts with. A standby only gets ready; it learns later where in it to begin. Of
// an advised job, `range` may be several open segments, and the launch `age` ago.
struct AttemptLaunched {
  AttemptId attempt;
  NodeId node;
  ByteRange range;
  bool speculative = false;
  bool standby = false;
  Duration age{0};
};

// A standby begins with the open segment `range`, a part of what it was launched with.
struct StandbyBegun {
  AttemptId attempt;
  ByteRange range;
};

// [begin, end) of the task became [begin, at) and [at, end). The attempt that answered holds the left part and, unless
// it released it, the right one.
struct SegmentCut {
  AttemptId attempt;
  std::uint64_t begin = 0;
  std::uint64_t at = 0;
  bool release = false;
};

// The open segment that begins there, which nobody works on, became two.
struct SegmentDivided {
  TaskId task;
  std::uint64_t begin = 0;
  std::uint64_t at = 0;
};

// `input_end` closes a segment whose end was unknown; otherwise it equals range.end.
struct SegmentSealed {
  AttemptId attempt;
  ByteRange range;
  std::uint64_t input_end = 0;
  SealedOutput output;
  Counters counters;
  // What was usual in its job by then; 0: not known. So the next master gives an attempt that stands still no more
  // time.
  Duration usual_gap{0};
  Duration usual_seal{0};
  Duration usual_launch{0};
  SegmentTimes times{};  // of its runner, so that the next master knows what the job's segments cost to begin
};

struct AttemptEnded {
  AttemptId attempt;
  AttemptEnd end = AttemptEnd::Failed;
  std::string message;
};

// What a policy decided and the ApplicationMaster carried out. Changes nothing but what people are shown.
struct PolicyDecided {
  JobId job;
  DecisionNote decision;
};

// What is known of an application's attempts after another job of it. Replaces what was known under the same key.
struct ProfileUpdated {
  std::string key;
  math::DurationSample sample;
};

// The least recently updated of too many.
struct ProfileForgotten {
  std::string key;
};

// It is gone, and no remembered job ran an attempt there.
struct NodeForgotten {
  NodeId node;
};

struct CommitStarted {
  JobId job;
};

// The attempt has found its input to be corrupt, and the job leaves such inputs out: nothing that was or will be mapped
// of it counts, and what is open of the attempt's task is sealed without output.
struct InputLeftOut {
  AttemptId attempt;
  std::string why;
};

// The commit has not found what the task had stored: all of it is open again, and its job runs.
struct TaskReopened {
  TaskId task;
};

// Final state; `message` says why a job did not succeed. `wanted`: somebody, or its deadline, has ended it.
struct JobEnded {
  JobId job;
  JobState state = JobState::Failed;
  std::string message;
  bool wanted = false;
};

// What the job's spec asks for under that number has been told; `problem`: why it could not be, and is not tried again.
struct JobNotified {
  JobId job;
  std::uint32_t number = 0;
  std::string problem;
};

// The job's records may be dropped from the journal.
struct JobForgotten {
  JobId job;
};

}  // namespace fact

using Fact = std::variant<fact::MasterStarted, fact::NodeAdded, fact::JobAccepted, fact::AttemptLaunched,
                          fact::StandbyBegun, fact::SegmentCut, fact::SegmentDivided, fact::SegmentSealed,
                          fact::AttemptEnded, fact::PolicyDecided, fact::ProfileUpdated, fact::CommitStarted,
                          fact::JobEnded, fact::JobForgotten, fact::DutyChanged, fact::ProfileForgotten,
                          fact::NodeForgotten, fact::TaskReopened, fact::JobNotified, fact::InputLeftOut>;

struct JournalRecord {
  TimePoint at;  // the `now` of the step that made it
  Fact fact;
};

// A fact, event or action as one line: its name and its fields. There is no other text of it: the master's log,
// recordings, the simulator's log and the text scenarios of the tests all show this one.
//
//   attempt_launched attempt=job-1/t00003/a1 node=node-2 range=43-100 speculative
enum class Ids : std::uint8_t {
  Own,  // attempt=job-1/t00003/a1
  All   // with those above it, by which logs are searched: job=job-1 task=job-1/t00003 attempt=job-1/t00003/a1
};
std::string describe(const Fact& fact, Ids ids = Ids::Own);

// The job a record belongs to; job 0 for those of the cluster. The journal keeps each job's records together.
JobId job_of(const Fact& fact);

}  // namespace ontime::scheduler
