#include "scheduler/core/speculation.h"

#include <algorithm>
#include <utility>

namespace ontime::scheduler {
namespace {

std::uint32_t total(const Speculation::Queue& queue) {
  std::uint32_t count = 0;
  for (const Speculation::Copies& copies : queue) count += copies.count;
  return count;
}

// Nothing for a decision that cuts nothing.
std::optional<PlannedCut> planned_cut(const Speculate& decision) {
  if (const auto* shared = std::get_if<SharedTail>(&decision.work)) {
    return PlannedCut{decision.task, {{shared->begin, shared->copies}}, shared->handover, false};
  }
  if (const auto* given = std::get_if<GivenTail>(&decision.work)) {
    return PlannedCut{decision.task, given->pieces, given->handover, true};
  }
  return std::nullopt;
}

}  // namespace

std::uint32_t PlannedCut::copies() const {
  std::uint32_t count = 0;
  for (const TailPiece& piece : pieces) count += piece.copies;
  return count;
}

std::optional<AttemptId> farthest(const Cluster& cluster, JobId job, SegmentKey segment) {
  const std::vector<AttemptId> racing = cluster.racing({job, segment.task}, segment.begin);
  const auto found = std::max_element(racing.begin(), racing.end(), [&](AttemptId a, AttemptId b) {
    return cluster.find_attempt(a)->offset < cluster.find_attempt(b)->offset;
  });
  return found == racing.end() ? std::nullopt : std::optional(*found);
}

// A planned cut is not durable, so after a restart no standby has one. They are collected here for settle(), which
// begins or ends each of them: a standby that nobody remembers would hold its slot until the job ends.
Speculation::Speculation(JobId job, const Cluster& cluster) : job_(job) {
  for (const AttemptId attempt : cluster.find_job(job)->live) {
    if (cluster.find_attempt(attempt)->standby) standbys_.insert(attempt);
  }
}

// Without an attempt there is nothing to cut: the segment waits for a slot as it is. If a cut is planned already, the
// policy decided without knowing of it. The borders of its decision may belong to other attempts by the time of the
// answer, so the decision is dropped and not queued.
bool Speculation::can_start(const Cluster& cluster, const Speculate& decision) const {
  if (std::holds_alternative<WholeSegment>(decision.work)) return true;
  const SegmentKey segment{decision.task.index, decision.segment};
  const std::optional<AttemptId> attempt = farthest(cluster, job_, segment);
  return attempt && !behind_cuts_.contains(*attempt) && !cut_when_standby_ready_.contains(segment);
}

std::optional<AttemptId> Speculation::start(StepBuilder& step, const Speculate& decision) {
  const SegmentKey segment{decision.task.index, decision.segment};
  std::optional<PlannedCut> cut = planned_cut(decision);
  if (!cut) {
    note(step, decision, nullptr, std::nullopt);
    copies_.push_back({segment, copies_of(decision), false});
    return std::nullopt;
  }
  const std::optional<AttemptId> attempt = farthest(step.cluster, job_, segment);
  note(step, decision, &*cut, attempt);
  if (cut->handover == Handover::Ready) {
    // Nothing is asked yet: the straggler goes on for as long as the launches take, and no offset has to be predicted.
    copies_.push_back({segment, cut->copies(), true});
    cut_when_standby_ready_.emplace(segment, *std::move(cut));
    return std::nullopt;
  }
  behind_cuts_.emplace(*attempt, *std::move(cut));
  return attempt;
}

// The first standby that is ready triggers the cut for all of them. Those that come later find no cut waiting, and get
// their parts with the answer. The attempt to cut is the one that is farthest now and not at the time of the decision:
// another one may have overtaken it while standbys were launched.
std::optional<AttemptId> Speculation::on_ready(const StepBuilder& step, AttemptId standby) {
  if (!standbys_.contains(standby)) return std::nullopt;
  const SegmentKey segment{standby.task.index, step.cluster.find_attempt(standby)->held.begin};
  const std::optional<AttemptId> attempt = farthest(step.cluster, job_, segment);
  if (!attempt) return std::nullopt;  // settle() lets it begin
  auto waiting = cut_when_standby_ready_.extract(segment);
  // A cut of the attempt that has overtaken may be planned: as in start(), the later decision is dropped.
  if (waiting.empty() || behind_cuts_.contains(*attempt)) return std::nullopt;
  behind_cuts_[*attempt] = std::move(waiting.mapped());
  return attempt;
}

// The decision is older than the answer, so its pieces are fitted to the segment as it is now. Pieces that the attempt
// has passed are left out at the front, pieces beyond the segment's end at the back. What is left of the first one
// keeps its copies. Every byte of the tail stays in exactly one segment, whatever is left out.
void Speculation::take_over(StepBuilder& step, PlannedCut cut, std::uint64_t at) {
  const std::uint64_t end = step.cluster.find_task(cut.task)->ledger.find(at)->range.end;
  while (cut.pieces.size() > 1 && cut.pieces[1].begin <= at) cut.pieces.erase(cut.pieces.begin());
  // Looked up before the tail is divided: all of them wait at its begin, and none at the pieces behind it.
  std::vector<AttemptId> standbys = step.cluster.standing_by(cut.task, at);
  // Another attempt that works on the tail would not learn of borders in it, and seal it as a whole.
  const bool is_raced = !step.cluster.racing(cut.task, at).empty();
  std::uint64_t begin = at;
  for (std::size_t i = 0; i < cut.pieces.size(); ++i) {
    // The segment may have become shorter since the decision: another attempt sealed or cut something behind it.
    const bool is_last = is_raced || i + 1 == cut.pieces.size() || cut.pieces[i + 1].begin >= end;
    if (!is_last) step.record(fact::SegmentDivided{cut.task, begin, cut.pieces[i + 1].begin});
    assign(step, {cut.task.index, begin}, cut.pieces[i].copies, standbys);
    if (is_last) break;
    begin = cut.pieces[i + 1].begin;
  }
  for (const AttemptId id : standbys) end_attempt(step, id, AttemptEnd::Killed, "it is not needed");
}

// Standbys come first because they have paid for their launch. Only what they do not cover waits for slots.
void Speculation::assign(StepBuilder& step, SegmentKey segment, std::uint32_t copies,
                         std::vector<AttemptId>& standbys) {
  for (; copies > 0 && !standbys.empty(); --copies) {
    begin_standby(step, standbys.front(), segment.begin);
    standbys.erase(standbys.begin());
  }
  // Not as standbys: the piece is theirs from now on, so there is nothing to wait for once they have a slot.
  if (copies > 0) copies_.push_back({segment, copies, false});
}

// The order is repeated when the worker registers again (ApplicationMaster::repeat_orders), since it may be lost with
// the connection. The fact is durable first: a new master knows that the standby has begun.
void Speculation::begin_standby(StepBuilder& step, AttemptId id, std::uint64_t segment) {
  const ByteRange range = step.cluster.find_task(id.task)->ledger.find(segment)->range;
  standbys_.erase(id);
  step.record(fact::StandbyBegun{id, range});
  step.act(begin_of(step.cluster, id, range));
}

void Speculation::move(SegmentKey from, SegmentKey to) {
  if (auto waiting = cut_when_standby_ready_.extract(from); !waiting.empty()) {
    waiting.key() = to;
    cut_when_standby_ready_.insert(std::move(waiting));
  }
  // Copies that have no slot yet race for the tail. The part in front of the cut is about to be sealed, so a copy of it
  // would come too late.
  for (Queue* queue : {&copies_, &clones_}) {
    for (Copies& copies : *queue) {
      if (copies.segment == from) copies.segment = to;
    }
  }
}

const PlannedCut* Speculation::behind_cut(AttemptId attempt) const {
  const auto found = behind_cuts_.find(attempt);
  return found == behind_cuts_.end() ? nullptr : &found->second;
}

std::optional<PlannedCut> Speculation::take_behind_cut(AttemptId attempt) {
  auto taken = behind_cuts_.extract(attempt);
  return taken.empty() ? std::nullopt : std::optional(std::move(taken.mapped()));
}

void Speculation::on_launched(AttemptId attempt, bool standby) {
  if (standby) standbys_.insert(attempt);
}

// What was promised behind its cut is forgotten with it: the rest of its segment waits as a whole, and the policy that
// looks at it again sees the new state.
void Speculation::on_ended(AttemptId attempt) {
  standbys_.erase(attempt);
  behind_cuts_.erase(attempt);
}

// Whether the standbys of this segment will get work. A cut that is asked for is known by its attempt and not by its
// segment, whose begin each checkpoint moves. So any cut of the task counts.
bool Speculation::plans_cut(TaskId task, std::uint64_t segment) const {
  if (cut_when_standby_ready_.contains({task.index, segment})) return true;
  return std::any_of(behind_cuts_.begin(), behind_cuts_.end(), [&](const auto& entry) {
    return entry.first.task == task && entry.second.handover == Handover::Ready;
  });
}

// Restores the second invariant of the header. It runs at the end of a step and not at each change, because a step may
// end the straggler and then cut, seal or relaunch its segment: in between, a standby may seem to have lost its reason.
void Speculation::settle(StepBuilder& step) {
  if (!has_standbys()) return;
  const std::set<AttemptId> standbys = standbys_;  // each that begins or ends leaves the set
  for (const AttemptId id : standbys) {
    const Attempt* attempt = step.cluster.find_live(id);
    if (attempt == nullptr) continue;
    const std::uint64_t begin = attempt->held.begin;
    if (step.cluster.racing(id.task, begin).empty()) {
      cut_when_standby_ready_.erase({id.task.index, begin});  // there is nobody left to cut
      begin_standby(step, id, begin);
    } else if (!plans_cut(id.task, begin)) {
      end_attempt(step, id, AttemptEnd::Killed, "it is not needed");
    }
  }
  // Nobody will become ready: the standbys have failed, and none waits for a slot. Without this, no later decision
  // about the segment would be accepted, because one would seem to be planned.
  std::erase_if(cut_when_standby_ready_, [&](const auto& entry) {
    const SegmentKey segment = entry.first;
    const bool is_queued = std::any_of(copies_.begin(), copies_.end(), [&](const Copies& copies) {
      return copies.segment == segment && copies.standby && copies.count > 0;
    });
    return !is_queued && step.cluster.standing_by(task_id(segment), segment.begin).empty();
  });
}

std::map<std::uint32_t, std::uint32_t> Speculation::pending() const {
  std::map<std::uint32_t, std::uint32_t> pending;
  for (const Queue* queue : {&copies_, &clones_}) {
    for (const Copies& copies : *queue) {
      if (copies.count > 0) pending[copies.segment.task] += copies.count;
    }
  }
  for (const auto& [attempt, cut] : behind_cuts_) {
    if (cut.handover == Handover::Ready) continue;  // its standbys are launched already
    if (const std::uint32_t count = cut.copies(); count > 0) pending[attempt.task.index] += count;
  }
  return pending;
}

// With Handover::Ready the standbys are counted where they wait for slots. Counting them behind the cut too would make
// a policy see twice the copies that it asked for.
std::uint32_t Speculation::waiting() const {
  std::uint32_t waiting = total(copies_) + total(clones_);
  for (const auto& [attempt, cut] : behind_cuts_) {
    if (cut.handover != Handover::Ready) waiting += cut.copies();
  }
  return waiting;
}

void Speculation::note(StepBuilder& step, const Speculate& decision, const PlannedCut* cut,
                       std::optional<AttemptId> attempt) const {
  DecisionNote note;
  note.what = DecisionNote::What::Speculate;
  note.task = decision.task.index;
  if (attempt) note.attempt = attempt->number;
  note.reason = code_of(decision.reason);
  note.segment = decision.segment;
  note.copies = copies_of(decision);
  if (cut != nullptr) {
    note.resume_at = cut->at();
    note.pieces = static_cast<std::uint32_t>(cut->pieces.size());
    note.release = cut->release;
    note.when_ready = cut->handover == Handover::Ready;
  }
  note.completion = decision.completion;
  note.pocd_before = decision.pocd_before;
  note.pocd_after = decision.pocd_after;
  note.rate = decision.rate;
  note.usual_rate = decision.usual_rate;
  step.decide(job_, std::move(note));
}

}  // namespace ontime::scheduler
