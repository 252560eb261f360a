#include "master/explanation.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "master/job_view.h"
#include "master/recording/record_text.h"
#include "master/settings.h"
#include "scheduler/account.h"

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
  for (const DecisionAt& decision : job.decisions) {
    const std::optional<std::uint32_t> task = decision.decision.task;
    (task ? by_task_[*task] : of_job_).push_back(&decision);
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
      const DecisionAt& decision = *decisions[i];
      if (!launches(decision) || decision.at > attempt.launched_at) continue;
      if (decision.decision.segment > attempt.start_offset || launched[i] >= decision.decision.copies) continue;
      ++launched[i];
      by[number] = i;
    }
  }
  return by;
}

bool Explanation::has_clones(const Task& task) const {
  return std::any_of(task.attempts.begin(), task.attempts.end(), [](const Attempt& a) { return a.speculative; });
}

std::vector<std::uint32_t> Explanation::in_order_of_interest() const {
  std::vector<std::uint32_t> order;
  std::set<std::uint32_t> seen;
  const auto add = [&](std::uint32_t task) {
    if (task < job_.tasks.size() && seen.insert(task).second) order.push_back(task);
  };
  for (const auto& [task, decisions] : by_task_) add(task);
  for (const auto& [task, declined] : job_.declined) add(task);
  for (std::uint32_t task = 0; task < job_.tasks.size(); ++task) {
    if (has_clones(job_.tasks[task])) add(task);
  }
  return order;
}

std::vector<std::uint32_t> Explanation::choose_tasks(const wire::Request::Explain& request,
                                                     std::uint32_t& left_out) const {
  if (request.has_task()) return {request.task()};
  std::vector<std::uint32_t> chosen = in_order_of_interest();
  if (request.tasks_max() != 0 && chosen.size() > request.tasks_max()) {
    left_out = static_cast<std::uint32_t>(chosen.size()) - request.tasks_max();
    chosen.resize(request.tasks_max());
  }
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(chosen.begin(), std::lower_bound(chosen.begin(), chosen.end(), request.first_task()));
  return chosen;
}

void Explanation::append_to(wire::Reply::Explained& reply, const wire::Request::Explain& request) const {
  reply.set_decisions_dropped(job_.decisions_dropped);
  if (request.first_task() == 0) {
    for (const DecisionAt* decision : of_job_) fill(*reply.add_decisions(), *decision);
  }
  std::uint32_t left_out = 0;
  std::size_t bytes = 0;
  for (const std::uint32_t task : choose_tasks(request, left_out)) {
    if (task >= job_.tasks.size()) break;
    if (bytes > kReplyBytesMax) {
      reply.set_next_task(task);
      break;
    }
    fill(*reply.add_tasks(), task);
    bytes += reply.tasks(reply.tasks_size() - 1).ByteSizeLong();
  }
  reply.set_tasks_left_out(left_out);
}

void Explanation::tally(wire::Reply::Job& reply) const {
  struct Count {
    std::uint32_t decisions = 0;
    std::uint32_t attempts = 0;
  };
  std::map<std::string, Count> counts;
  std::string clone_reason(code_of(scheduler::Reason::Clone));
  for (const DecisionAt& decision : job_.decisions) {
    if (launches(decision) || decision.decision.what == DecisionNote::What::Clone)
      ++counts[decision.decision.reason].decisions;
    if (decision.decision.what == DecisionNote::What::Clone) clone_reason = decision.decision.reason;
  }
  for (std::uint32_t index = 0; index < job_.tasks.size(); ++index) {
    const Task& task = job_.tasks[index];
    if (!has_clones(task)) continue;
    const Decisions& decisions = decisions_of(index);
    const auto by = launched_by(task, decisions);
    for (std::uint32_t number = 0; number < task.attempts.size(); ++number) {
      if (task.attempts[number].speculative)
        ++counts[by[number] ? decisions[*by[number]]->decision.reason : clone_reason].attempts;
    }
  }
  for (const auto& [reason, count] : counts) {
    wire::Copies* copies = reply.add_copies();
    copies->set_reason(reason);
    copies->set_decisions(count.decisions);
    copies->set_attempts(count.attempts);
  }
}

void Explanation::fill(wire::ExplainedTask& to, std::uint32_t index) const {
  const Task& task = job_.tasks[index];
  to.set_index(index);
  to.mutable_split()->set_begin(task.ledger.split().begin);
  to.mutable_split()->set_end(task.ledger.split().end);
  to.set_state(state_name_of(task));
  if (task.ledger.is_done()) {
    TimePoint done;
    for (const Attempt& attempt : task.attempts) {
      if (attempt.state == scheduler::AttemptState::Succeeded) done = std::max(done, attempt.ended_at);
    }
    to.set_done_ns(since_submission(done));
  }
  const Decisions& decisions = decisions_of(index);
  for (const DecisionAt* decision : decisions) {
    wire::DecisionDetail& detail = *to.add_decisions();
    fill(detail, *decision);
    const std::optional<std::uint32_t> ended = decision->decision.attempt;
    if (decision->decision.what == DecisionNote::What::EndAttempt && ended && *ended < task.attempts.size())
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
  to.set_what(recording::name_of(note.what));
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
