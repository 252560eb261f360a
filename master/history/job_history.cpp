#include "master/history/job_history.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <asio/post.hpp>
#include <utility>

#include "common/log/fields.h"
#include "scheduler/policies/decision.h"

namespace ontime::history {
namespace {

using scheduler::Attempt;

void warn(const char* event, JobId id, const std::string& why) {
  spdlog::warn("{} {} reason={}", event, id, log::Quoted{why});
}

bool has_attempt(const scheduler::Job& job, std::uint32_t task, std::uint32_t number) {
  return task < job.tasks.made().size() && number < job.tasks[task].attempts.size();
}

void restore(Attempt& attempt, const stored::AttemptCourse& course) {
  attempt.offset = course.offset();
  if (course.has_ready_ns()) attempt.ready_at = attempt.launched_at + Duration(course.ready_ns());
  if (course.has_started_ns()) attempt.started_at = attempt.launched_at + Duration(course.started_ns());
}

}  // namespace

void describe(const scheduler::Job& job, JobId id, stored::JobHistory& kept) {
  kept.set_job(id.value);
  kept.set_claim(job.spec.claim);
  kept.set_decisions_dropped(job.decisions_dropped);
  for (const auto& [task, declined] : job.declined) {
    stored::Declined& added = *kept.add_declined();
    added.set_task(task);
    added.set_reason(std::string(code_of(declined.reason)));
    added.set_since_ns((declined.since - job.submitted_at).count());
    added.set_last_ns((declined.last - job.submitted_at).count());
  }
}

void add_attempts(std::span<const scheduler::Task> tasks, stored::JobHistory& kept) {
  for (std::uint32_t task = 0; task < tasks.size(); ++task) {
    for (std::uint32_t number = 0; number < tasks[task].attempts.size(); ++number) {
      const Attempt& attempt = tasks[task].attempts[number];
      stored::AttemptCourse& course = *kept.add_attempts();
      course.set_task(task);
      course.set_number(number);
      course.set_offset(attempt.offset);
      if (attempt.ready_at != TimePoint{}) course.set_ready_ns((attempt.ready_at - attempt.launched_at).count());
      if (attempt.started_at != TimePoint{}) course.set_started_ns((attempt.started_at - attempt.launched_at).count());
    }
  }
}

bool restore(Recalled& to, stored::JobHistory kept) {
  scheduler::Job& job = to.job;
  if (kept.claim() != job.spec.claim) return false;
  job.tasks.detach();
  for (const stored::AttemptCourse& course : kept.attempts()) {
    if (!has_attempt(job, course.task(), course.number())) return false;
    restore(job.tasks.at(course.task()).attempts[course.number()], course);
  }
  job.decisions_dropped = kept.decisions_dropped();
  for (const stored::Declined& declined : kept.declined()) {
    const auto reason = scheduler::reason_of_code(declined.reason());
    if (!reason || declined.task() >= job.tasks.size()) continue;
    job.declined[declined.task()] = {*reason, job.submitted_at + Duration(declined.since_ns()),
                                     job.submitted_at + Duration(declined.last_ns())};
  }
  for (const wire::Reply::Logs::Log& log : kept.logs().logs())
    to.logs.append({{JobId{kept.job()}, log.task()}, log.attempt()}, log.node_name(), log.begin(), log.text());
  to.account = scheduler::account(job, job.ended_at);
  kept.clear_attempts();
  kept.clear_declined();
  kept.mutable_logs()->clear_logs();
  to.kept = std::move(kept);
  return true;
}

JobHistory::JobHistory(asio::any_io_executor control, const scheduler::Cluster& cluster, Place place)
    : control_(std::move(control)),
      cluster_(cluster),
      bytes_max_(place.bytes_max),
      store_(std::move(place.directory), place.bytes_max) {}

// Nothing that is still to be answered finds this object any more.
JobHistory::~JobHistory() { thread_.join(); }

void JobHistory::start() {
  if (!is_on()) return;
  for (const auto& [id, job] : cluster_.jobs()) {
    if (is_final(job.state)) ended_before_.insert(id);
  }
  asio::post(thread_, [this, jobs = ended_before_] { store_.open(jobs); });
}

void JobHistory::keep(JobId id, stored::JobHistory kept) {
  const scheduler::Job* job = cluster_.find_job(id);
  if (!is_on() || job == nullptr) return;
  if (*waiting_ >= kWaiting) return warn("history_not_kept", id, "Too many jobs have ended at once.");
  describe(*job, id, kept);
  const auto work = [this, id, tasks = job->tasks.share(), made = std::make_shared<stored::JobHistory>(std::move(kept)),
                     waiting = waiting_] {
    add_attempts(tasks.list, *made);
    const Status status = store_.write(id, made->SerializeAsString());
    --*waiting;
    if (!status) warn("history_not_kept", id, status.error().message);
  };
  ++*waiting_;
  asio::post(thread_, work);
}

void JobHistory::forget(JobId id) {
  if (!is_on()) return;
  ended_before_.erase(id);
  std::erase_if(recalled_, [id](const auto& entry) { return entry.first == id; });
  asio::post(thread_, [this, id] { store_.forget(id); });
}

JobHistory::Pointer JobHistory::recalled(JobId id) const {
  const auto found = std::ranges::find(recalled_, id, [](const auto& entry) { return entry.first; });
  return found == recalled_.end() ? nullptr : found->second;
}

asio::awaitable<JobHistory::Pointer> JobHistory::recall(JobId id) {
  while (ended_before_.contains(id)) {
    const scheduler::Job* job = cluster_.find_job(id);
    if (job == nullptr) break;  // forgotten, which is not durable yet
    if (Pointer known = recalled(id)) co_return known;
    std::shared_ptr<master::Signal>& place = being_read_[id];
    if (place == nullptr) {
      place = std::make_shared<master::Signal>(control_);
      read(id, *job);
    }
    const std::shared_ptr<master::Signal> being_read = place;
    co_await being_read->wait();
  }
  co_return nullptr;
}

void JobHistory::read(JobId id, const scheduler::Job& job) {
  const auto wanted = std::make_shared<Recalled>(job);
  asio::post(thread_, [this, id, wanted] {
    const std::string problem = fill(id, *wanted);
    asio::post(control_, [this, id, wanted, problem] { answer(id, problem.empty() ? wanted : nullptr, problem); });
  });
}

// What is wrong; empty if nothing is.
std::string JobHistory::fill(JobId id, Recalled& wanted) {
  if (!store_.has(id)) return kNothingKept;
  const Result<std::string> content = store_.read(id);
  if (!content) return content.error().message;
  stored::JobHistory kept;
  if (kept.ParseFromString(*content) && restore(wanted, std::move(kept))) return {};
  store_.forget(id);
  return "Its file is another job's.";
}

void JobHistory::answer(JobId id, Pointer job, const std::string& problem) {
  const bool is_remembered = ended_before_.contains(id);
  if (job == nullptr) {
    ended_before_.erase(id);
    if (problem != kNothingKept) warn("history_lost", id, problem);
  } else if (is_remembered) {
    recalled_.emplace_back(id, std::move(job));
    if (recalled_.size() > kRecalled) recalled_.pop_front();
  }
  const auto found = being_read_.find(id);
  found->second->fire();
  being_read_.erase(found);
}

}  // namespace ontime::history
