// How the ApplicationMaster carries out what a policy decided: races, cuts with attempts behind them, standbys; and how
// attempts leave a node that drains.
#include <algorithm>
#include <functional>

#include "scheduler/application_master.h"

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
  } else if (!attempt || wishes_.contains(*attempt) || when_ready_.contains(place)) {
    return;
  } else if (decision.handover == Handover::Ready) {
    note(turn, decision, attempt);
    when_ready_.emplace(place, decision);
    copies_.push_back({place, total(decision.copies), true});
  } else {
    note(turn, decision, attempt);
    wish(turn, decision, *attempt);
  }
}

// Only one cut is asked for at a time.
void ApplicationMaster::wish(Turn& turn, const Speculate& decision, AttemptId attempt) {
  const bool must_wait = turn.cluster.find_attempt(attempt)->cut_pending;
  wishes_.insert_or_assign(attempt, Wish{decision, !must_wait});
  if (!must_wait) ask_cut(turn, attempt);
}

void ApplicationMaster::ask_cut(Turn& turn, AttemptId id) {
  const Speculate& decision = wishes_.at(id).decision;
  wishes_.at(id).asked = true;
  request_cut(turn, id, *decision.resume_at, decision.release);
}

void ApplicationMaster::request_cut(Turn& turn, AttemptId id, std::uint64_t at, bool release) {
  turn.cluster.observe_cut_pending(id, true);
  turn.act(action::CutAttempt{turn.cluster.find_attempt(id)->node, id, at, release});
  turn.timers.arm(cut_of(id), turn.now + turn.cut_timeout);
}

// What a policy wants comes first: copies may hang on it.
void ApplicationMaster::ask_next_cut(Turn& turn, AttemptId id) {
  const Attempt* attempt = turn.cluster.find_live(id);
  if (attempt == nullptr || attempt->cut_pending) return;
  if (wishes_.contains(id))
    ask_cut(turn, id);
  else if (to_hand_over_.erase(id) != 0)
    request_cut(turn, id, attempt->held.begin, true);
}

void ApplicationMaster::hand_over(Turn& turn, AttemptId id) {
  const Attempt* attempt = turn.cluster.find_live(id);
  if (attempt == nullptr) return;
  if (attempt->standby || farthest(turn.cluster, {id.task.index, attempt->held.begin}) != id) {
    return kill(turn, id, "its node drains");
  }
  to_hand_over_.insert(id);
  ask_next_cut(turn, id);
}

void ApplicationMaster::repeat_cut(Turn& turn, AttemptId id) {
  if (wishes_.contains(id)) ask_cut(turn, id);
}

void ApplicationMaster::on_cut_answered(Turn& turn, const event::CutAnswered& answer) {
  turn.cluster.observe_cut_pending(answer.attempt, false);
  turn.timers.disarm(cut_of(answer.attempt));
  std::optional<Speculate> decision;
  if (const auto wished = wishes_.find(answer.attempt); wished != wishes_.end() && wished->second.asked) {
    decision = std::move(wished->second.decision);
    wishes_.erase(wished);
  }
  const ByteRange held = turn.cluster.find_attempt(answer.attempt)->held;
  if (answer.at <= held.begin && answer.release) {
    kill(turn, answer.attempt, "it released all it held");
  } else if (answer.at > held.begin && answer.at < held.end) {
    const Segment* segment = turn.cluster.find_task(answer.attempt.task)->ledger.containing(answer.at);
    const std::uint64_t begin = segment->range.begin;
    turn.record(record::SegmentCut{answer.attempt, begin, answer.at, answer.release});
    if (auto waiting = when_ready_.extract({answer.attempt.task.index, begin}); !waiting.empty()) {
      waiting.key().second = answer.at;  // a checkpoint cut in front of them
      when_ready_.insert(std::move(waiting));
    }
    // The boundary is this attempt's; another that raced the same segment may stand beyond it.
    if (begin != answer.at) settle_race(turn, answer.attempt, begin);
  }
  if (decision && answer.at < held.end) take_over(turn, *decision, std::max(answer.at, held.begin));
  ask_next_cut(turn, answer.attempt);
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
  wish(turn, waiting->second, *attempt);
  when_ready_.erase(waiting);
}

bool ApplicationMaster::is_wished(TaskId task, std::uint64_t segment) const {
  if (when_ready_.contains({task.index, segment})) return true;
  return std::any_of(wishes_.begin(), wishes_.end(), [&](const auto& wished) {
    return wished.first.task == task && wished.second.decision.handover == Handover::Ready;
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
    } else if (!is_wished(id.task, begin)) {
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

// It stands still, or its process does: what it holds starts again at its begin, that is at the last sealed offset.
void ApplicationMaster::on_cut_overdue(Turn& turn, AttemptId id) {
  const Attempt* attempt = turn.cluster.find_live(id);
  if (attempt == nullptr || !attempt->cut_pending) return;
  const std::uint64_t begin = attempt->held.begin;
  std::uint32_t copies = 0;
  if (const auto wished = wishes_.find(id); wished != wishes_.end()) copies = total(wished->second.decision.copies);
  kill(turn, id, "it did not answer a cut");
  if (copies > 1 && turn.cluster.standing_by(id.task, begin).empty()) {
    copies_.push_back({{id.task.index, begin}, copies, false});  // the first of them starts it again
  }
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
  turn.record(record::PolicyDecided{job_, std::move(note)});
  refresh(turn.cluster, decision.task);
}

void ApplicationMaster::carry_out(Turn& turn, const CloneTasks& decision) {
  if (clones_ == decision.copies) return;
  clones_ = decision.copies;
  DecisionNote note;
  note.what = DecisionNote::What::Clone;
  note.reason = code_of(decision.reason);
  note.copies = clones_;
  turn.record(record::PolicyDecided{job_, std::move(note)});
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
  turn.record(record::PolicyDecided{job_, std::move(note)});
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
  turn.record(record::PolicyDecided{job_, std::move(note)});
}

}  // namespace ontime::scheduler
