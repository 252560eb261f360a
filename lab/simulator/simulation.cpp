#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "lab/scenario/purpose.h"
#include "lab/scenario/scenario.h"
#include "lab/simulator/bound.h"
#include "lab/simulator/event_queue.h"
#include "lab/simulator/ideal.h"
#include "lab/simulator/simulator.h"
#include "lab/simulator/workers.h"
#include "scheduler/core/cluster.h"
#include "scheduler/core/scheduler.h"
#include "scheduler/forecast/forecast.h"
#include "scheduler/forecast/slots_wanted.h"

namespace ontime::lab {

namespace action = scheduler::action;
namespace event = scheduler::event;
namespace fact = scheduler::fact;

namespace {

// Ended jobs that the scheduler remembers: results are taken as things happen, so few are enough.
constexpr std::uint32_t kJobsKept = 8;
constexpr std::uint64_t kTurnsBetweenStops = 256;  // a turn takes microseconds, or milliseconds with a large plan

scheduler::Settings settings_of(const Scenario& scenario, const Observer& observer) {
  scheduler::Settings settings;
  settings.node_timeout = from_seconds(node_timeout_of(scenario));
  settings.cut_timeout = from_seconds(cut_timeout_of(scenario));
  settings.placement = scenario.placement;
  settings.placement.warm_first = settings.placement.warm_first && scenario.keeps_runners;
  // The oldest goes first, which may be the one that has just ended.
  settings.history.jobs = observer.ended ? std::numeric_limits<std::uint32_t>::max() : kJobsKept;
  settings.history.tasks = std::numeric_limits<std::uint64_t>::max();
  return settings;
}

double since_start(TimePoint at) { return seconds(at.time_since_epoch()); }

// One run: turns what is due into events for the scheduler and its actions into orders, until every job has ended.
class Simulation {
 public:
  Simulation(Scenario scenario, std::uint64_t seed, const Observer& observer);
  Outcome run();

 private:
  void happen(const Upcoming& due);
  void submit(std::uint32_t planned);
  void expect_forecasts(JobId job, const JobOutcome& outcome);
  void record_forecast(const Upcoming& due);
  void register_node(const Upcoming& due);
  void step(const scheduler::Event& event);
  void follow(const scheduler::Step& step);
  void follow(const scheduler::Fact& fact);
  void perform(scheduler::Action action);
  void commit(JobId job);
  void end_job(const scheduler::fact::JobEnded& fact);
  void inspect();
  void resize();
  void take_samples(TimePoint until);
  void count_held_back(TimePoint until);

  const Scenario scenario_;  // drawn
  const std::uint64_t seed_;
  const Observer& observer_;
  EventQueue queue_;
  std::vector<PlannedJob> planned_;
  Workers workers_;
  scheduler::Scheduler scheduler_;
  std::optional<scheduler::SlotsWanted> wanted_;  // of elastic nodes
  TimePoint now_;
  TimePoint sampled_next_;
  std::size_t jobs_ended_ = 0;
  std::vector<std::uint32_t> fresh_;  // by job: its tasks without an attempt
  std::uint64_t fresh_tasks_ = 0;     // of all jobs
  Outcome outcome_;
};

}  // namespace

Simulation::Simulation(Scenario scenario, std::uint64_t seed, const Observer& observer)
    : scenario_(std::move(scenario)),
      seed_(seed),
      observer_(observer),
      planned_(plan_jobs(scenario_, seed)),
      workers_(scenario_, seed, queue_),
      scheduler_(settings_of(scenario_, observer)) {
  outcome_.slots = slots_of(scenario_);
  outcome_.jobs.reserve(planned_.size());
  for (std::uint32_t job = 0; job < planned_.size(); ++job) {
    if (planned_[job].at < kForEver) queue_.push(TimePoint(from_seconds(planned_[job].at)), Due::Submission, job);
  }
  for (std::uint32_t index = 0; index < scenario_.outages.size(); ++index) {
    const Outage& outage = scenario_.outages[index];
    if (outage.kind == Outage::Kind::TimeLimit) queue_.push(leaves_at(outage), Due::Leaves, index);
    queue_.push(TimePoint(from_seconds(outage.at)), Due::OutageBegins, index);
    if (outage.at + outage.lasts < scenario_.horizon) {
      queue_.push(TimePoint(from_seconds(outage.at + outage.lasts)), Due::OutageEnds, index);
    }
  }
  if (scenario_.elastic) {
    wanted_.emplace(scenario_.elastic->rule);
    queue_.push(now_, Due::Resize, 0);
  }
  for (const JobGroup& group : scenario_.jobs) {
    if (!group.known.profile) continue;
    const std::string key = scheduler::profile_key(spec_of(group, {}));
    scheduler_.replay({now_, fact::ProfileUpdated{key, *group.known.profile}});
  }
  follow(scheduler_.start(now_));
}

Outcome Simulation::run() {
  const TimePoint horizon(from_seconds(scenario_.horizon));
  const TimePoint counts_from(from_seconds(scenario_.steps_max_from));
  std::uint64_t uncounted = 0;
  for (std::uint64_t turn = 0; jobs_ended_ < planned_.size() && outcome_.broken.empty(); ++turn) {
    if (turn % kTurnsBetweenStops == 0 && observer_.stop && observer_.stop()) {
      outcome_.is_stopped = true;
      break;
    }
    if (now_ < counts_from) uncounted = outcome_.steps;
    if (outcome_.steps - uncounted >= scenario_.steps_max) break;
    const auto wake_up = scheduler_.next_wake_up();
    const bool wakes = wake_up && (queue_.empty() || *wake_up <= queue_.next_at());
    if (!wakes && queue_.empty()) break;
    const TimePoint next = std::max(now_, wakes ? *wake_up : queue_.next_at());
    if (next > horizon) break;
    if (scenario_.sample_every > 0) take_samples(next);
    count_held_back(next);
    now_ = next;
    if (wakes)
      step(event::TimePassed{});
    else
      happen(queue_.pop());
  }
  outcome_.paid_slot_seconds = workers_.paid_slot_seconds(now_);
  workers_.settle(now_);
  outcome_.ended = since_start(now_);
  outcome_.there_slot_seconds = scenario_.elastic ? workers_.there_slot_seconds(now_) : outcome_.ended * outcome_.slots;
  outcome_.events = queue_.pushed();
  for (std::uint32_t job = 0; job < outcome_.jobs.size(); ++job) {
    const JobLoad& load = workers_.job(JobId{job + 1});
    outcome_.jobs[job].machine_time = load.machine_time;
    outcome_.jobs[job].mapped_bytes = load.mapped_bytes;
    outcome_.slot_seconds += load.machine_time;
  }
  return std::move(outcome_);
}

void Simulation::happen(const Upcoming& due) {
  switch (due.due) {
    case Due::Report:
      if (const auto arrived = workers_.arrived(due.subject, now_)) step(*arrived);
      return;
    case Due::Registration:
      return register_node(due);
    case Due::Commit:
      return step(event::CommitFinished{JobId{due.subject}, {}});
    case Due::Submission:
      return submit(due.subject);
    case Due::OutageBegins:
      return workers_.begin_outage(scenario_.outages[due.subject], now_);
    case Due::Leaves:
      return workers_.leave(scenario_.outages[due.subject].node, now_);
    case Due::OutageEnds:
      return workers_.end_outage(scenario_.outages[due.subject], now_);
    case Due::Resize:
      return resize();
    case Due::Forecast:
      return record_forecast(due);
    default:
      return workers_.on(due);
  }
}

void Simulation::expect_forecasts(JobId job, const JobOutcome& outcome) {
  const auto shares = static_cast<std::uint32_t>(observer_.forecast_at.size());
  const auto expect = [&](double after, std::uint32_t reading) {
    const TimePoint at(from_seconds(outcome.submitted + after));
    queue_.push(at, Due::Forecast, static_cast<std::uint32_t>(job.value), reading);
  };
  for (std::uint32_t i = 0; outcome.deadline > 0 && i < shares; ++i) {
    expect(observer_.forecast_at[i] * outcome.deadline, i);
  }
  if (job.value > observer_.forecast_when.size()) return;
  const std::vector<double>& when = observer_.forecast_when[job.value - 1];
  for (std::uint32_t i = 0; i < when.size(); ++i) expect(when[i], shares + i);
}

void Simulation::record_forecast(const Upcoming& due) {
  const auto forecast = scheduler::forecast(scheduler_, JobId{due.subject}, now_);
  if (!forecast) return;  // it has ended
  JobOutcome& job = outcome_.jobs[due.subject - 1];
  const double passed = since_start(now_) - job.submitted;
  double share = job.deadline > 0 ? passed / job.deadline : 0;
  if (due.generation < observer_.forecast_at.size()) share = observer_.forecast_at[due.generation];
  job.forecasts.push_back({due.generation, share, forecast->pocd, forecast->low, forecast->median, forecast->high});
}

void Simulation::resize() {
  wanted_->look(scheduler_, now_);
  workers_.resize(wanted_->count(), now_);
  queue_.push(now_ + from_seconds(scenario_.elastic->every), Due::Resize, 0);
}

void Simulation::take_samples(TimePoint until) {
  for (; sampled_next_ < until; sampled_next_ += from_seconds(scenario_.sample_every)) {
    outcome_.samples.push_back(
        {since_start(sampled_next_), workers_.busy(), static_cast<std::uint32_t>(outcome_.jobs.size() - jobs_ended_)});
  }
}

void Simulation::count_held_back(TimePoint until) {
  if (fresh_tasks_ == 0) return;
  outcome_.held_back += seconds(until - now_) * static_cast<double>(scheduler_.resources().idle_held_nodes());
}

void Simulation::submit(std::uint32_t index) {
  const PlannedJob& planned = planned_[index];
  const JobGroup& group = scenario_.jobs[planned.group];
  JobOutcome job;
  job.group = planned.group;
  job.tasks = planned.tasks;
  job.submitted = since_start(now_);
  job.deadline = planned.deadline;
  scheduler::JobSpec spec = spec_of(group, planned);
  for (const scheduler::InputFile& file : spec.inputs) job.input_bytes += static_cast<double>(file.length());
  outcome_.jobs.push_back(job);
  fresh_.push_back(job.tasks);
  fresh_tasks_ += job.tasks;
  workers_.add_job({.planned = index, .group = &group, .tasks = planned.tasks, .machine_time = 0, .mapped_bytes = 0});
  expect_forecasts(JobId{static_cast<std::uint32_t>(outcome_.jobs.size())}, outcome_.jobs.back());
  step(event::JobSubmitted{index, std::move(spec)});
}

void Simulation::register_node(const Upcoming& due) {
  const auto registration = workers_.registration(due);
  if (!registration) return;
  step(*registration);
  const std::string& incarnation = std::get<event::NodeRegistered>(*registration).incarnation;
  for (const auto& next : workers_.after_registration(due.subject, scheduler_.cluster().node_of(incarnation), now_)) {
    step(next);
  }
}

void Simulation::step(const scheduler::Event& event) {
  ++outcome_.steps;
  if (observer_.log) observer_.log(line_of(now_, event));
  follow(scheduler_.step(event, now_));
  if (scenario_.check_invariants) inspect();
}

void Simulation::follow(const scheduler::Step& step) {
  for (const scheduler::JournalRecord& record : step.records) follow(record.fact);
  for (const scheduler::Action& action : step.actions) perform(action);
}

void Simulation::follow(const scheduler::Fact& fact) {
  if (const auto* launched = std::get_if<fact::AttemptLaunched>(&fact)) {
    JobOutcome& job = outcome_.jobs[launched->attempt.task.job.value - 1];
    ++outcome_.attempts;
    ++job.attempts;
    if (launched->attempt.number == 0) {
      --fresh_[launched->attempt.task.job.value - 1];
      --fresh_tasks_;
    }
    job.copies += launched->speculative ? 1 : 0;
  } else if (const auto* decided = std::get_if<fact::PolicyDecided>(&fact)) {
    JobOutcome& job = outcome_.jobs[decided->job.value - 1];
    if (decided->decision.what != scheduler::DecisionNote::What::Note)
      ++job.decisions;
    else
      job.chosen = static_cast<std::int32_t>(decided->decision.number.value_or(job.chosen));
  } else if (const auto* ended = std::get_if<fact::JobEnded>(&fact)) {
    end_job(*ended);
  }
}

void Simulation::end_job(const fact::JobEnded& fact) {
  JobOutcome& job = outcome_.jobs[fact.job.value - 1];
  job.ended = since_start(now_);
  job.state = fact.state;
  ++jobs_ended_;
  fresh_tasks_ -= std::exchange(fresh_[fact.job.value - 1], 0);
  if (observer_.ended) observer_.ended(fact.job, scheduler_);
  const std::uint32_t next = workers_.job(fact.job).planned + 1;
  if (next < planned_.size() && planned_[next].at == kForEver) queue_.push(now_, Due::Submission, next);
}

void Simulation::commit(JobId job) {
  Random random(seed_, Purpose::Commit, workers_.job(job).planned);
  queue_.push(now_ + from_seconds(scenario_.commit.sample(random)), Due::Commit, job.value);
}

void Simulation::perform(scheduler::Action what) {
  if (observer_.log) observer_.log(line_of(now_, what));
  if (const auto* commit = std::get_if<action::CommitOutput>(&what)) {
    this->commit(commit->job);
  } else if (const auto* dropped = std::get_if<action::DropNode>(&what)) {
    workers_.drop(dropped->node, now_);
  } else if (const auto* launch = std::get_if<action::LaunchAttempt>(&what)) {
    workers_.order(launch->node, std::move(what), now_);
  } else if (const auto* begin = std::get_if<action::BeginAttempt>(&what)) {
    workers_.order(begin->node, std::move(what), now_);
  } else if (const auto* cut = std::get_if<action::CutAttempt>(&what)) {
    workers_.order(cut->node, std::move(what), now_);
  } else if (const auto* release = std::get_if<action::ReleaseNode>(&what)) {
    if (scenario_.elastic) workers_.order(release->node, std::move(what), now_);
  } else if (const auto* kill = std::get_if<action::KillAttempt>(&what)) {
    workers_.order(kill->node, std::move(what), now_);
  } else if (const auto* welcome = std::get_if<action::WelcomeNode>(&what)) {
    workers_.order(welcome->node, std::move(what), now_);
  }
}

void Simulation::inspect() {
  outcome_.broken = scheduler::violations(scheduler_.cluster());
  for (std::string& sentence : outcome_.broken) sentence = std::to_string(since_start(now_)) + " s: " + sentence;
}

Outcome run(const Scenario& scenario, std::uint64_t seed, const Observer& observer) {
  const Status good = check(scenario);
  ONTIME_CHECK(good.has_value(), good.has_value() ? "" : good.error().message.c_str());
  if (scenario.yardstick >= Yardstick::Ideal) return run_ideal(draw(scenario, seed), seed);
  if (scenario.yardstick != Yardstick::None) return run_bound(draw(scenario, seed), seed);
  return Simulation(draw(scenario, seed), seed, observer).run();
}

}  // namespace ontime::lab
