#include "master/clients/explanation.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "common/protocol/convert.h"
#include "master/base/settings.h"
#include "master/clients/views.h"
#include "scheduler/core/account.h"

namespace ontime::master {
namespace {

using scheduler::Attempt;
using scheduler::DecisionAt;
using scheduler::DecisionNote;
using scheduler::Task;

bool launches(const DecisionAt& decision) { return decision.decision.what == DecisionNote::What::Speculate; }

}  // namespace

Explanation::Explanation(const scheduler::Cluster& cluster, const scheduler::Job& job, TimePoint now)
    : cluster_(cluster), job_(job), now_(now) {
  for (std::size_t place = 0; place < job.decisions.size(); ++place) {
    const std::optional<std::uint32_t> task = decision(place).decision.task;
    (task ? by_task_[*task] : of_job_).push_back(place);
  }
}

const Explanation::Decisions& Explanation::decisions_of(std::uint32_t task) const {
  static const Decisions none;
  const auto found = by_task_.find(task);
  return found == by_task_.end() ? none : found->second;
}

// An attempt belongs to the latest decision before its launch about a segment at or below its begin that has not got
// all its attempts yet.
std::vector<std::optional<std::size_t>> Explanation::launched_by(const Task& task, const Decisions& decisions) const {
  std::vector<std::optional<std::size_t>> by(task.attempts.size());
  std::vector<std::uint32_t> launched(decisions.size(), 0);
  for (std::uint32_t number = 0; number < task.attempts.size(); ++number) {
    const Attempt& attempt = task.attempts[number];
    if (!attempt.speculative) continue;
    for (std::size_t i = decisions.size(); i-- > 0 && !by[number];) {
      const DecisionAt& made = decision(decisions[i]);
      if (!launches(made) || made.at > attempt.launched_at) continue;
      if (made.decision.segment > attempt.start_offset || launched[i] >= made.decision.copies) continue;
      ++launched[i];
      by[number] = i;
    }
  }
  return by;
}

bool Explanation::has_clones(const Task& task) const {
  return std::any_of(task.attempts.begin(), task.attempts.end(), [](const Attempt& a) { return a.speculative; });
}

std::optional<int> Explanation::kind_of(std::uint32_t task) const {
  if (by_task_.contains(task)) return 0;
  if (job_.declined.contains(task)) return 1;
  if (task < job_.tasks.made().size() && has_clones(job_.tasks[task])) return 2;
  return std::nullopt;
}

bool Explanation::append_to(wire::Reply::Explained& reply, const wire::Request::Explain& request, Telling& telling,
                            std::uint32_t slice) const {
  if (telling.next == 0) {
    reply.set_decisions_dropped(job_.decisions_dropped);
    if (request.first_task() == 0) {
      for (const std::size_t place : of_job_) fill(*reply.add_decisions(), decision(place));
    }
  }
  if (request.has_task()) {
    if (request.task() < job_.tasks.size()) fill(*reply.add_tasks(), request.task());
    return true;
  }
  if (request.tasks_max() == 0) {
    telling.next = std::max(telling.next, request.first_task());
    return tell_in_order(reply, telling, slice);
  }
  if (!choose(telling, request, slice)) return false;
  tell_chosen(reply, request, telling);
  return true;
}

bool Explanation::tell_in_order(wire::Reply::Explained& reply, Telling& telling, std::uint32_t slice) const {
  for (; telling.next < job_.tasks.size(); ++telling.next) {
    if (slice-- == 0) return false;
    if (!kind_of(telling.next)) continue;
    if (telling.bytes > kReplyBytesMax) {
      reply.set_next_task(telling.next);
      return true;
    }
    fill(*reply.add_tasks(), telling.next);
    telling.bytes += reply.tasks(reply.tasks_size() - 1).ByteSizeLong();
  }
  return true;
}

bool Explanation::choose(Telling& telling, const wire::Request::Explain& request, std::uint32_t slice) const {
  for (; telling.next < job_.tasks.size(); ++telling.next) {
    if (slice-- == 0) return false;
    const std::optional<int> kind = kind_of(telling.next);
    if (!kind) continue;
    ++telling.interesting;
    std::vector<std::uint32_t>& chosen = telling.chosen[*kind];
    if (chosen.size() < request.tasks_max()) chosen.push_back(telling.next);
  }
  return true;
}

void Explanation::tell_chosen(wire::Reply::Explained& reply, const wire::Request::Explain& request,
                              const Telling& telling) const {
  std::vector<std::uint32_t> tasks;
  for (const std::vector<std::uint32_t>& chosen : telling.chosen) {
    const std::size_t left = request.tasks_max() - tasks.size();
    const auto count = static_cast<std::ptrdiff_t>(std::min(left, chosen.size()));
    tasks.insert(tasks.end(), chosen.begin(), chosen.begin() + count);
  }
  reply.set_tasks_left_out(telling.interesting - static_cast<std::uint32_t>(tasks.size()));
  std::sort(tasks.begin(), tasks.end());
  std::size_t bytes = 0;
  for (auto task = std::lower_bound(tasks.begin(), tasks.end(), request.first_task()); task != tasks.end(); ++task) {
    if (bytes > kReplyBytesMax) return reply.set_next_task(*task);
    fill(*reply.add_tasks(), *task);
    bytes += reply.tasks(reply.tasks_size() - 1).ByteSizeLong();
  }
}

void Explanation::count_decisions(Tally& tally) const {
  tally.clone_reason = code_of(scheduler::Reason::Clone);
  for (const DecisionAt& made : job_.decisions) {
    if (launches(made) || made.decision.what == DecisionNote::What::Clone)
      ++tally.counts[made.decision.reason].decisions;
    if (made.decision.what == DecisionNote::What::Clone) tally.clone_reason = made.decision.reason;
  }
}

void Explanation::count_attempts(Tally& tally, std::uint32_t index) const {
  const Task& task = job_.tasks[index];
  if (!has_clones(task)) return;
  const Decisions& decisions = decisions_of(index);
  const auto by = launched_by(task, decisions);
  for (std::uint32_t number = 0; number < task.attempts.size(); ++number) {
    if (!task.attempts[number].speculative) continue;
    ++tally.counts[by[number] ? decision(decisions[*by[number]]).decision.reason : tally.clone_reason].attempts;
  }
}

bool Explanation::count(Tally& tally, std::uint32_t slice) const {
  if (tally.next == 0) count_decisions(tally);
  for (; tally.next < job_.tasks.made().size(); ++tally.next) {
    if (slice-- == 0) return false;
    count_attempts(tally, tally.next);
  }
  return true;
}

void Explanation::append_to(wire::Reply::Job& reply, const Tally& tally) {
  for (const auto& [reason, count] : tally.counts) {
    wire::Copies* copies = reply.add_copies();
    copies->set_reason(reason);
    copies->set_decisions(count.decisions);
    copies->set_attempts(count.attempts);
  }
}

void Explanation::tally(wire::Reply::Job& reply) const {
  Tally whole;
  count(whole, kAllAtOnce);
  append_to(reply, whole);
}

void Explanation::fill(wire::ExplainedTask& to, std::uint32_t index) const {
  const Task& task = job_.tasks[index];
  to.set_index(index);
  protocol::put(task.ledger.split(), to.mutable_split());
  to.set_state(state_name_of(job_, task));
  if (task.ledger.is_done()) {
    TimePoint done;
    for (const Attempt& attempt : task.attempts) {
      if (attempt.state == scheduler::AttemptState::Succeeded) done = std::max(done, attempt.ended_at);
    }
    to.set_done_ns(since_submission(done));
  }
  const Decisions& decisions = decisions_of(index);
  for (const std::size_t place : decisions) {
    wire::DecisionDetail& detail = *to.add_decisions();
    const DecisionNote& note = decision(place).decision;
    fill(detail, decision(place));
    const std::optional<std::uint32_t> ended = note.attempt;
    if (note.what == DecisionNote::What::EndAttempt && ended && *ended < task.attempts.size())
      fill(*detail.add_fates(), task, *ended);
  }
  const auto by = launched_by(task, decisions);
  for (std::uint32_t number = 0; number < task.attempts.size(); ++number) {
    if (!task.attempts[number].speculative) continue;
    wire::CopyFate& fate =
        by[number] ? *to.mutable_decisions(static_cast<int>(*by[number]))->add_fates() : *to.add_clones();
    fill(fate, task, number);
  }
  const auto declined = job_.declined.find(index);
  if (declined == job_.declined.end()) return;
  to.mutable_declined()->set_reason(std::string(code_of(declined->second.reason)));
  to.mutable_declined()->set_since_ns(since_submission(declined->second.since));
  to.mutable_declined()->set_last_ns(since_submission(declined->second.last));
}

void Explanation::fill(wire::DecisionDetail& to, const DecisionAt& decision) const {
  const DecisionNote& note = decision.decision;
  to.set_at_ns(since_submission(decision.at));
  to.set_what(name_of(note.what));
  to.set_reason(note.reason);
  if (note.attempt) to.set_attempt(*note.attempt);
  to.set_segment(note.segment);
  if (note.resume_at) to.set_resume_at(*note.resume_at);
  to.set_pieces(note.pieces);
  to.set_copies(note.copies);
  to.set_release(note.release);
  to.set_when_ready(note.when_ready);
  if (const auto completion = instant_of(note.completion); completion && launches(decision)) {
    to.set_completion_ns(*completion);
  }
  if (launches(decision) && std::isfinite(note.pocd_before)) to.set_pocd_before(note.pocd_before);
  if (launches(decision) && std::isfinite(note.pocd_after)) to.set_pocd_after(note.pocd_after);
  to.set_rate(note.rate);
  to.set_usual_rate(note.usual_rate);
  to.set_text(note.text);
}

void Explanation::fill(wire::CopyFate& to, const Task& task, std::uint32_t number) const {
  const Attempt& attempt = task.attempts[number];
  const scheduler::Node* node = cluster_.find_node(attempt.node);
  const scheduler::JobAccount account = scheduler::account(task, number, now_);
  to.set_attempt(number);
  if (node != nullptr) to.set_node_name(node->name);
  to.set_state(name_of(attempt.state));
  to.set_standby(attempt.standby);
  to.set_from(attempt.start_offset);
  to.set_offset(attempt.offset);
  to.set_sealed_bytes(account.bytes.useful);
  to.set_saved_bytes(account.saved.bytes);
  to.set_saved_ns(account.saved.time.count());
  to.set_launched_ns(since_submission(attempt.launched_at));
  if (!is_live(attempt.state)) to.set_ended_ns(since_submission(attempt.ended_at));
}

}  // namespace ontime::master
