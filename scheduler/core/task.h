#pragma once
// The mapping of one split, the attempts at it, and all tasks of a job.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "common/base/byte_range.h"
#include "common/base/ids.h"
#include "common/base/time.h"
#include "scheduler/core/job_spec.h"
#include "scheduler/core/ledger.h"
#include "scheduler/core/segment_times.h"
#include "scheduler/math/durations.h"

namespace ontime::scheduler {

// One execution that works through open segments of a task, in order, on a slot of a node.
//
//   Launching --first record--> Running --> Succeeded   sealed everything it held
//       |                          |------> Failed      exited, crashed, threw, made no progress
//       |                          |------> Killed      lost a race, its job ended, a policy said so
//       '--------------------------'------> Lost        with its node
enum class AttemptState : std::uint8_t { Launching, Running, Succeeded, Failed, Killed, Lost };
constexpr bool is_live(AttemptState s) { return s == AttemptState::Launching || s == AttemptState::Running; }

// What waits for the answer to a cut: nothing, fresh attempts, or a node that drains.
enum class CutReason : std::uint8_t { Checkpoint, Speculation, Drain };

// The one question that an attempt has been asked and has not answered: where can its work be cut? Everything that
// wants a cut asks in this way; docs/design.md, section 3, draws the states. Not durable.
struct CutInFlight {
  std::uint64_t at = 0;  // there, or where it stands if it is beyond
  bool release = false;  // it stops there
  CutReason why = CutReason::Checkpoint;
  TimePoint asked_at;  // the first time; asking again after a reconnect does not change it
};

// Where an attempt stood at an earlier report.
struct Mark {
  TimePoint at;
  std::uint64_t offset = 0;
};

struct Attempt {
  NodeId node;
  AttemptState state = AttemptState::Launching;
  bool speculative = false;  // raced another attempt from its launch on
  bool standby = false;      // gets ready, or is ready and waits to be told where to begin; maps nothing yet
  bool was_standby = false;  // and was told to begin; that order may have to be repeated
  bool is_warm = false;      // launched where a runner of its job was idle: nothing had to be loaded
  bool adopted = true;       // false between a master's restart and the worker's report that it still runs
  // What it still holds: open segments tile it. begin moves up with each seal, end down with a release.
  ByteRange held;
  std::uint64_t start_offset = 0;  // where it began; of a standby, where it might
  std::uint64_t launch_end = 0;    // where it would have ended if nothing had been cut
  std::uint64_t offset = 0;        // last reported: everything it held below is mapped
  std::uint64_t records = 0;       // last reported
  std::uint64_t output_bytes = 0;  // last reported
  TimePoint launched_at;           // t_lau
  TimePoint ready_at;              // launch overhead ended; epoch while launching
  TimePoint started_at;            // t_FP; epoch while launching. A standby starts when it learns where to begin
  TimePoint reported_at;           // of the last report about it; its launch counts
  TimePoint progressed_at;         // when offset last moved (launch counts)
  TimePoint ended_at;              // epoch while live
  // When it came to the segment that it works on, and when it last reported that it had mapped nothing of it. Between
  // the two it was starting, as a command does that loads something first.
  TimePoint segment_at;
  TimePoint idle_until;
  SegmentTimes segment;     // the same by its runner's clock, as of reported_at
  Duration beside{0};       // of its sealed segments: their starts, or all of those that took their bytes at once
  Duration longest_gap{0};  // between two reports of new records: how long one may take it. 0: none seen
  std::optional<CutInFlight> cut;
  // Where it stood one to two recent_window() ago, and less than one ago: how fast it has been recently. Its start at
  // first.
  Mark earlier;
  Mark later;

  // Of the segment that it works on.
  math::Beginning beginning() const {
    if (held.begin != start_offset) return math::Beginning::Next;
    return is_warm ? math::Beginning::Warm : math::Beginning::Cold;
  }
  // It is there, and the segment at that offset is its to work on, perhaps together with others.
  bool holds(std::uint64_t at) const { return is_live(state) && held.contains(at); }
  // Fresh attempts for what it works on are on their way, or it gives up its work: a policy lets that come first. A
  // checkpoint's cut is no such change, however long its answer takes.
  bool is_changing() const { return standby || (cut && cut->why != CutReason::Checkpoint); }
};

struct Task {
  explicit Task(const Split& split) : file(split.file), ledger(split.range) {}

  std::uint32_t file;        // index into JobSpec::inputs
  bool is_counted = false;   // its counters are the job's already: it is mapped again, since its output was lost
  bool is_left_out = false;  // with its input: nothing that was mapped of it counts
  Ledger ledger;
  std::vector<Attempt> attempts;  // index = AttemptId::number
};

// Tasks that are read on while the job is forgotten, or by another thread.
struct SharedTasks {
  std::shared_ptr<const void> owner;
  std::span<const Task> list;
};

// Index = TaskId::index. There may be millions, so a task takes memory only once it or one behind it was asked for: the
// others are whole, and were never launched. The address space for all of them is reserved, so making tasks moves none.
//
// The commit of a job shares its tasks instead of copying them. Cluster changes them only while the job runs and nobody
// else holds them; what is made meanwhile lies behind what the others see. One thread makes tasks.
class TaskList {
 public:
  explicit TaskList(const JobSpec& spec) : splits_(spec), tasks_(std::make_shared<std::vector<Task>>()) {
    tasks_->reserve(splits_.size());
  }

  std::uint32_t size() const { return splits_.size(); }
  bool empty() const { return size() == 0; }
  // Those that were made, from the first on.
  std::span<const Task> made() const { return {tasks_->data(), made_}; }
  // Makes all, which a job of millions would regret.
  std::span<const Task> all() const {
    if (!empty()) make(size() - 1);
    return made();
  }
  // Makes it. REQUIRES: index < size().
  const Task& operator[](std::uint32_t index) const { return make(index); }
  Task& at(std::uint32_t index) { return make(index); }
  // A task as it is, without making it.
  template <class Look>
  auto look_at(std::uint32_t index, const Look& look) const {
    return index < made_ ? look(std::as_const((*tasks_)[index])) : look(Task(splits_[index]));
  }

  SharedTasks share() const { return {tasks_, made()}; }
  // What was shared stays as it is, whatever becomes of these.
  void detach() {
    auto own = std::make_shared<std::vector<Task>>();
    own->reserve(size());
    own->assign(made().begin(), made().end());
    tasks_ = std::move(own);
  }

 private:
  // What was shared with another list may have been made by that.
  Task& make(std::uint32_t index) const {
    for (; made_ <= index; ++made_) {
      if (tasks_->size() == made_) tasks_->emplace_back(splits_[made_]);
    }
    return (*tasks_)[index];
  }

  Splits splits_;
  std::shared_ptr<std::vector<Task>> tasks_;
  mutable std::uint32_t made_ = 0;
};

}  // namespace ontime::scheduler
