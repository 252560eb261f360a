// How the ApplicationMaster carries out what a policy decided: races, attempts behind cuts, standbys. The cuts themselves
// are in cuts.cpp.
#include <algorithm>
#include <functional>

#include "scheduler/core/application_master.h"

namespace ontime::scheduler {
namespace {

std::uint32_t total(const std::vector<std::uint32_t>& copies) {
  std::uint32_t count = 0;
  for (const std::uint32_t some : copies) count += some;
  return count;
}

bool is_well_formed(const Speculate& decision) {
  if (decision.copies.size() != decision.borders.size() + 1 || total(decision.copies) == 0) return false;
  if (!decision.borders.empty() && (!decision.resume_at || !decision.release)) return false;
  const auto not_ascending =
      std::adjacent_find(decision.borders.begin(), decision.borders.end(), std::greater_equal<>());
  return not_ascending == decision.borders.end();
}

}  // namespace

// The attempt that has got farthest keeps the part below the cut; it is asked where it can be made.
std::optional<AttemptId> ApplicationMaster::farthest(const Cluster& cluster, Place place) const {
  const std::vector<AttemptId> racing = cluster.racing(task_id(place.first), place.second);
  const auto found = std::max_element(racing.begin(), racing.end(), [&](AttemptId a, AttemptId b) {
    return cluster.find_attempt(a)->offset < cluster.find_attempt(b)->offset;
  });
  return found == racing.end() ? std::nullopt : std::optional(*found);
}

void ApplicationMaster::carry_out(Turn& turn, const Speculate& decision) {
  const Task* task = turn.cluster.find_task(decision.task);
  const Segment* segment = task != nullptr ? task->ledger.find(decision.segment) : nullptr;
  if (segment == nullptr || segment->sealed || !is_well_formed(decision)) return;
  if (decision.task.index >= next_fresh_) return;  // its originals come first
  const Place place{decision.task.index, decision.segment};
  const std::optional<AttemptId> attempt = farthest(turn.cluster, place);
  if (!decision.resume_at) {
    note(turn, decision, std::nullopt);
    copies_.push_back({place, total(decision.copies), false});
  } else if (!attempt || is_wanted_of(*attempt) || when_ready_.contains(place)) {
    return;
  } else if (decision.handover == Handover::Ready) {
    note(turn, decision, attempt);
    when_ready_.emplace(place, decision);
    copies_.push_back({place, total(decision.copies), true});
  } else {
    note(turn, decision, attempt);
    cut_for(turn, decision, *attempt);
  }
}

// Fresh attempts for the tail that begins at `at`, divided as decided.
void ApplicationMaster::take_over(Turn& turn, Speculate decision, std::uint64_t at) {
  const std::uint64_t end = turn.cluster.find_task(decision.task)->ledger.find(at)->range.end;
  while (!decision.borders.empty() && decision.borders.front() <= at) {
    decision.borders.erase(decision.borders.begin());
    decision.copies.erase(decision.copies.begin());
  }
  std::vector<AttemptId> standbys = turn.cluster.standing_by(decision.task, at);
  std::uint64_t begin = at;
  for (std::size_t piece = 0; piece < decision.copies.size(); ++piece) {
    const bool is_last = piece == decision.borders.size() || decision.borders[piece] >= end;
    if (!is_last) {
      turn.record(record::SegmentDivided{decision.task, begin, decision.borders[piece]});
    }
    man(turn, {decision.task.index, begin}, decision.copies[piece], standbys);
    if (is_last) break;
    begin = decision.borders[piece];
  }
  for (const AttemptId id : standbys) kill(turn, id, "it is not needed");
  refresh(turn.cluster, decision.task);
}

// Standbys first, they are under way.
void ApplicationMaster::man(Turn& turn, Place place, std::uint32_t copies, std::vector<AttemptId>& standbys) {
  for (; copies > 0 && !standbys.empty(); --copies) {
    begin_standby(turn, standbys.front(), place.second);
    standbys.erase(standbys.begin());
  }
  if (copies > 0) copies_.push_back({place, copies, false});
}

void ApplicationMaster::begin_standby(Turn& turn, AttemptId id, std::uint64_t segment) {
  const ByteRange range = turn.cluster.find_task(id.task)->ledger.find(segment)->range;
  standbys_.erase(id);
  turn.record(record::StandbyBegun{id, range});
  turn.act(action::BeginAttempt{turn.cluster.find_attempt(id)->node, id, range});
}

void ApplicationMaster::on_ready(Turn& turn, AttemptId id) {
  if (!standbys_.contains(id)) return;
  const Place place{id.task.index, turn.cluster.find_attempt(id)->held.begin};
  const auto waiting = when_ready_.find(place);
  const std::optional<AttemptId> attempt = farthest(turn.cluster, place);
  if (waiting == when_ready_.end() || !attempt) return;  // settle_standbys() sees to it
  cut_for(turn, waiting->second, *attempt);
  when_ready_.erase(waiting);
}

// Fresh attempts are to take over behind a cut of that attempt.
bool ApplicationMaster::is_wanted_of(AttemptId id) const {
  const auto waiting = behind_cuts_.find(id);
  return waiting != behind_cuts_.end() && waiting->second.take_over.has_value();
}

bool ApplicationMaster::wants_standbys(TaskId task, std::uint64_t segment) const {
  if (when_ready_.contains({task.index, segment})) return true;
  return std::any_of(behind_cuts_.begin(), behind_cuts_.end(), [&](const auto& waiting) {
    const std::optional<Speculate>& decision = waiting.second.take_over;
    return waiting.first.task == task && decision && decision->handover == Handover::Ready;
  });
}

// Nobody works on what they wait for: they take it as it is. Nobody wants them any more: they end.
void ApplicationMaster::settle_standbys(Turn& turn) {
  if (standbys_.empty() && when_ready_.empty()) return;
  const std::set<AttemptId> standbys = standbys_;
  for (const AttemptId id : standbys) {
    const Attempt* attempt = turn.cluster.find_live(id);
    if (attempt == nullptr) continue;
    const std::uint64_t begin = attempt->held.begin;
    if (turn.cluster.racing(id.task, begin).empty()) {
      when_ready_.erase({id.task.index, begin});
      begin_standby(turn, id, begin);
    } else if (!wants_standbys(id.task, begin)) {
      kill(turn, id, "it is not needed");
    }
  }
  std::erase_if(when_ready_, [&](const auto& waiting) {
    const Place place = waiting.first;
    const bool is_queued = std::any_of(copies_.begin(), copies_.end(), [&](const Copies& copies) {
      return copies.place == place && copies.standby && copies.count > 0;
    });
    return !is_queued && turn.cluster.standing_by(task_id(place.first), place.second).empty();
  });
}

void ApplicationMaster::carry_out(Turn& turn, const Divide& decision) {
  const Task* task = turn.cluster.find_task(decision.task);
  if (task == nullptr) return;
  std::uint64_t begin = decision.segment;
  std::uint32_t pieces = 1;
  for (const std::uint64_t border : decision.borders) {
    const Segment* segment = task->ledger.find(begin);
    if (segment == nullptr || segment->sealed || segment->range.is_open_ended()) break;
    if (!turn.cluster.racing(decision.task, begin).empty()) break;
    if (border <= begin || border >= segment->range.end) break;
    turn.record(record::SegmentDivided{decision.task, begin, border});
    begin = border;
    ++pieces;
  }
  if (pieces == 1) return;
  DecisionNote note;
  note.what = DecisionNote::What::Divide;
  note.task = decision.task.index;
  note.reason = code_of(decision.reason);
  note.segment = decision.segment;
  note.pieces = pieces;
  turn.decide(job_, std::move(note));
  refresh(turn.cluster, decision.task);
}

void ApplicationMaster::carry_out(Turn& turn, const CloneTasks& decision) {
  if (clones_ == decision.copies) return;
  clones_ = decision.copies;
  DecisionNote note;
  note.what = DecisionNote::What::Clone;
  note.reason = code_of(decision.reason);
  note.copies = clones_;
  turn.decide(job_, std::move(note));
}

void ApplicationMaster::carry_out(Turn& turn, const EndAttempt& decision) {
  const Attempt* attempt = turn.cluster.find_live(decision.attempt);
  if (attempt == nullptr) return;
  DecisionNote note;
  note.what = DecisionNote::What::EndAttempt;
  note.task = decision.attempt.task.index;
  note.attempt = decision.attempt.number;
  note.reason = code_of(decision.reason);
  note.segment = attempt->held.begin;
  turn.decide(job_, std::move(note));
  kill(turn, decision.attempt, std::string(code_of(decision.reason)));
}

void ApplicationMaster::note(Turn& turn, const Speculate& decision, std::optional<AttemptId> cut) const {
  DecisionNote note;
  note.what = DecisionNote::What::Speculate;
  note.task = decision.task.index;
  if (cut) note.attempt = cut->number;
  note.reason = code_of(decision.reason);
  note.segment = decision.segment;
  note.resume_at = decision.resume_at;
  note.pieces = static_cast<std::uint32_t>(decision.copies.size());
  note.copies = total(decision.copies);
  note.release = decision.release;
  note.when_ready = decision.handover == Handover::Ready;
  note.completion = decision.completion;
  note.pocd_before = decision.pocd_before;
  note.pocd_after = decision.pocd_after;
  turn.decide(job_, std::move(note));
}

}  // namespace ontime::scheduler
