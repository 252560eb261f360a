#include "master/actions/application_link.h"

#include <type_traits>
#include <variant>

namespace ontime::master {

void ApplicationLink::accept(JobId job, const std::string& policy) {
  wire::ToApplication message;
  message.mutable_accepted()->set_job(job.value);
  message.mutable_accepted()->set_policy(policy);
  static_cast<void>(connection_->send(message));
}

void ApplicationLink::refuse(const std::string& reason) {
  wire::ToApplication message;
  message.mutable_refused()->set_reason(reason);
  static_cast<void>(connection_->send(message));
}

void ApplicationLink::add(AttemptId attempt, std::uint64_t begin) {
  wire::AdviceOrder::AddAttempt* add = add_order()->mutable_add();
  add->set_task(attempt.task.index);
  add->set_order(order_of(attempt));
  add->set_begin(begin);
}

// An attempt that YARN has not started holds nothing that could be cut.
void ApplicationLink::cut(AttemptId attempt, std::uint64_t at) {
  const auto hadoop = hadoop_.find(attempt);
  if (hadoop == hadoop_.end()) return;
  wire::AdviceOrder::OrderCut* cut = add_order()->mutable_cut();
  cut->set_task(attempt.task.index);
  cut->set_attempt(hadoop->second);
  cut->set_at(at);
}

void ApplicationLink::end(AttemptId attempt, const std::string& reason) {
  wire::AdviceOrder::EndAttempt* end = add_order()->mutable_end();
  end->set_task(attempt.task.index);
  end->set_order(order_of(attempt));
  end->set_reason(reason);
  const auto hadoop = hadoop_.find(attempt);
  if (hadoop == hadoop_.end()) return;
  end->set_attempt(hadoop->second);
  end->set_started(true);
}

void ApplicationLink::tell_number(AttemptId attempt, std::uint32_t hadoop) {
  wire::AdviceOrder::Known* known = add_order()->mutable_known();
  known->set_task(attempt.task.index);
  known->set_attempt(hadoop);
  known->set_order(order_of(attempt));
}

void ApplicationLink::end_job(const std::string& reason) {
  add_order()->mutable_end_job()->set_reason(reason);
  begin_orders();  // whatever has happened, the job is over; nothing else is heard of it
}

void ApplicationLink::note(const std::string& text) { add_order()->mutable_note()->set_text(text); }

void ApplicationLink::flush() {
  if (!may_order_ || gathered_.orders().orders_size() == 0) return;
  static_cast<void>(connection_->send(gathered_));
  gathered_.Clear();
}

void ApplicationLink::beat() {
  wire::ToApplication message;
  message.mutable_alive();
  static_cast<void>(connection_->send(message));
}

void ApplicationLinks::attach(JobId job, const Link& link) {
  const Link older = std::exchange(links_[job], link);
  if (older && older != link) older->close();
}

bool ApplicationLinks::release(JobId job, const Link& link) {
  const auto found = links_.find(job);
  if (found == links_.end() || found->second != link) return false;
  links_.erase(found);
  return true;
}

ApplicationLink* ApplicationLinks::find(JobId job) const {
  const auto found = links_.find(job);
  return found == links_.end() ? nullptr : found->second.get();
}

// All of an advised job's cuts release: its policies were made so (advice.cpp).
bool ApplicationLinks::perform(const scheduler::Action& action) {
  namespace order = scheduler::action;
  return std::visit(
      [this](const auto& one) {
        using What = std::decay_t<decltype(one)>;
        if constexpr (requires { one.attempt; }) {
          ApplicationLink* link = find(one.attempt.task.job);
          if (link == nullptr) return true;
          if constexpr (std::is_same_v<What, order::LaunchAttempt>) link->add(one.attempt, one.range.begin);
          if constexpr (std::is_same_v<What, order::CutAttempt>) link->cut(one.attempt, one.at);
          if constexpr (std::is_same_v<What, order::KillAttempt>) link->end(one.attempt, one.reason);
          return true;
        } else {
          return requires { one.node; };
        }
      },
      action);
}

void ApplicationLinks::observe(const scheduler::JournalRecord& record) {
  ApplicationLink* link = find(scheduler::job_of(record.fact));
  if (link == nullptr) return;
  if (std::holds_alternative<scheduler::fact::PolicyDecided>(record.fact)) link->note(scheduler::describe(record.fact));
  if (const auto* ended = std::get_if<scheduler::fact::JobEnded>(&record.fact)) link->end_job(ended->message);
}

void ApplicationLinks::flush() {
  for (const auto& [job, link] : links_) link->flush();
}

void ApplicationLinks::beat() {
  for (const auto& [job, link] : links_) link->beat();
}

}  // namespace ontime::master
