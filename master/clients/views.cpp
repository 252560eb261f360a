#include "master/clients/views.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/units.h"
#include "common/protocol/convert.h"
#include "master/base/settings.h"
#include "master/base/text.h"
#include "master/submissions/notify.h"

namespace ontime::master {

namespace {

using scheduler::Attempt;
using scheduler::AttemptState;
using scheduler::Job;
using scheduler::Segment;
using scheduler::Task;

constexpr std::string_view kOpen = "open";  // as wanted: not done
constexpr double kInstantMax = 9e9;         // seconds that fit into 64 bits of nanoseconds

// 0 stands for "not yet".
std::int64_t moment(TimePoint at) { return to_unix_ns(at); }

bool has_live_attempt(const Task& task) {
  return std::any_of(task.attempts.begin(), task.attempts.end(), [](const Attempt& a) { return is_live(a.state); });
}

std::uint32_t running_copies(const Job& job) {
  return static_cast<std::uint32_t>(std::count_if(job.live.begin(), job.live.end(), [&](const AttemptId& id) {
    return job.tasks[id.task.index].attempts[id.number].speculative;
  }));
}

// What the live attempts of one task have mapped of an open segment.
std::uint64_t reached_in(const Segment& segment, const Task& task) {
  std::uint64_t reached = segment.range.begin;
  for (const Attempt& attempt : task.attempts) {
    if (!is_live(attempt.state) || !attempt.held.contains(segment.range.begin)) continue;
    reached = std::max(reached, std::min(attempt.offset, segment.range.end));
  }
  return reached - segment.range.begin;
}

void fill(wire::SegmentDetail& detail, const Segment& segment) {
  protocol::put(segment.range, detail.mutable_range());
  detail.set_state(segment.sealed ? "sealed" : "open");
  if (!segment.sealed) return;
  detail.set_attempt(segment.attempt);
  detail.set_records(segment.output.records);
  detail.set_output_bytes(segment.output.length);
  detail.set_output_content_bytes(segment.output.content_length);
}

// `auto` chooses once, and before any other policy can decide.
void fill_choice(wire::JobSummary& summary, const Job& job) {
  if (job.spec.policy != "auto") return;
  for (const scheduler::DecisionAt& made : job.decisions) {
    if (made.decision.policy.empty()) continue;
    summary.set_policy_chosen(made.decision.policy);
    summary.set_policy_choice(made.decision.text);
    return;
  }
}

void fill_notices(wire::JobSummary& summary, const Job& job, TimePoint now) {
  for (std::uint32_t number = 0; number < job.spec.notify.size(); ++number) {
    const Result<Notify> notify = read_notify(job.spec.notify[number]);
    if (!notify) continue;
    wire::Notice& view = *summary.add_notify();
    view.set_when(notify->condition);
    view.set_what(notify->shown());
    const auto told = job.told.find(number);
    view.set_is_due(told == job.told.end() && holds(*notify, job, now));
    if (told == job.told.end()) continue;
    view.set_told_unix_ns(moment(told->second.at));
    view.set_problem(told->second.problem);
  }
}

// Where many jobs are listed, some parameters, and the begin of what is long.
void fill_listed_parameters(wire::JobSummary& summary, const Job& job) {
  constexpr std::size_t kShown = 8, kBytes = 100;
  scheduler::StringMap listed;
  for (const auto& [key, value] : job.spec.parameters) {
    if (listed.size() == kShown) break;
    listed[key] = value.size() <= kBytes ? value : value.substr(0, kBytes) + "...";
  }
  protocol::put(listed, summary.mutable_parameters());
}

void fill_inputs(wire::JobSummary& summary, const Job& job) {
  constexpr int kShown = 20;
  summary.set_input_files(static_cast<std::uint32_t>(count_files(job.spec)));
  for (const scheduler::InputFile& input : job.spec.inputs) {
    if (input.parts.empty() && summary.inputs_size() < kShown) summary.add_inputs(input.path);
    for (const auto& part : input.parts)
      if (summary.inputs_size() < kShown) summary.add_inputs(part.path);
  }
  for (const auto& [file, why] : job.left_out) {
    wire::Entry& entry = *summary.mutable_settings()->mutable_skip()->add_inputs();
    entry.set_key(job.spec.inputs[file].path);
    entry.set_value(why);
  }
  for (const auto& file : job.spec.files) summary.add_files(file.name);
}

// The last note of a job that has ended, if any.
void fill_harm(wire::JobSummary& summary, const Job& job) {
  if (job.decisions.empty() || job.decisions.back().decision.reason != scheduler::kSlowerThanNothing) return;
  summary.set_policy_harm(job.decisions.back().decision.text);
}

}  // namespace

const char* name_of(AttemptState state) {
  static constexpr std::array kNames{"launching", "running", "succeeded", "failed", "killed", "lost"};
  return kNames.at(static_cast<std::size_t>(state));
}

const char* state_name_of(const Job& job, const Task& task) {
  if (task.ledger.is_done()) return "done";
  if (is_final(job.state)) return "unfinished";
  return has_live_attempt(task) ? "running" : "waiting";
}

std::optional<std::int64_t> instant_of(double seconds) {
  if (!(std::abs(seconds) < kInstantMax)) return std::nullopt;
  return from_seconds(seconds).count();
}

wire::Account view_of(const scheduler::JobAccount& account) {
  wire::Account view;
  view.set_mapped_bytes(account.bytes.mapped);
  view.set_useful_bytes(account.bytes.useful);
  view.set_duplicated_bytes(account.bytes.duplicated);
  view.set_dropped_bytes(account.bytes.dropped);
  view.set_open_bytes(account.bytes.open);
  view.set_total_ns(account.time.total.count());
  view.set_launch_ns(account.time.launch.count());
  view.set_standby_ns(account.time.standby.count());
  view.set_useful_ns(account.time.useful.count());
  view.set_duplicated_ns(account.time.duplicated.count());
  view.set_dropped_ns(account.time.dropped.count());
  view.set_open_ns(account.time.open.count());
  view.set_saved_bytes(account.saved.bytes);
  view.set_saved_ns(account.saved.time.count());
  view.set_attempts(account.attempts);
  view.set_resumed(account.resumed);
  return view;
}

wire::Forecast view_of(const scheduler::Forecast& forecast, const Job& job) {
  wire::Forecast view;
  if (std::isfinite(forecast.pocd)) view.set_pocd(forecast.pocd);
  if (const auto low = instant_of(forecast.low)) view.set_low_ns(*low);
  if (const auto median = instant_of(forecast.median)) view.set_median_ns(*median);
  if (const auto high = instant_of(forecast.high)) view.set_high_ns(*high);
  view.set_waiting(forecast.waiting);
  view.set_standing(forecast.standing);
  view.set_unknown(forecast.unknown);
  const scheduler::math::Durations& durations = forecast.durations;
  const double split = static_cast<double>(job.input_bytes) / std::max(1.0, static_cast<double>(job.tasks.size()));
  wire::Durations& to = *view.mutable_durations();
  to.set_t_min_ns(instant_of(durations.t_min * split).value_or(0));
  to.set_beta(durations.beta);
  to.set_beta_error(durations.beta_error);
  to.set_source(std::string(name_of(durations.source)));
  to.set_attempts(durations.samples);
  to.set_launch_ns(instant_of(durations.launch).value_or(0));
  to.set_launch_source(std::string(name_of(durations.launch_source)));
  return view;
}

wire::JobState state_of(scheduler::JobState state) {
  static constexpr std::array kStates{wire::RUNNING, wire::COMMITTING, wire::SUCCEEDED, wire::FAILED, wire::KILLED};
  return kStates.at(static_cast<std::size_t>(state));
}

std::uint64_t reached_bytes(const Job& job) {
  std::uint64_t reached = 0;
  std::uint32_t last_task = kTasksMax;
  for (const AttemptId& attempt : job.live) {  // in order: the attempts of one task follow each other
    if (attempt.task.index == last_task) continue;
    last_task = attempt.task.index;
    const Task& task = job.tasks[last_task];
    task.ledger.for_each_open_from_back([&](const Segment& segment) { reached += reached_in(segment, task); });
  }
  return reached;
}

wire::JobSummary summary_of(JobId id, const Job& job, TimePoint now, ShowCounters counters) {
  wire::JobSummary summary;
  summary.set_job(id.value);
  const bool is_queued = job.state == scheduler::JobState::Running && job.attempts_launched == 0 && !job.tasks.empty();
  summary.set_state(is_queued ? wire::QUEUED : state_of(job.state));
  protocol::put(job.spec, summary.mutable_settings());
  summary.set_application(job.spec.application);
  summary.set_output(job.spec.output);
  summary.set_owner(job.spec.owner);
  summary.set_submitted_unix_ns(moment(job.submitted_at));
  summary.set_ended_unix_ns(moment(job.ended_at));
  summary.set_tasks(job.tasks.size());
  summary.set_tasks_done(job.tasks_done);
  summary.set_input_bytes(job.input_bytes);
  summary.set_mapped_bytes(job.sealed_bytes + reached_bytes(job));
  summary.set_records(job.sealed_records);
  summary.set_output_bytes(job.output_bytes);
  summary.set_output_content_bytes(job.output_content_bytes);
  summary.set_message(job.message);
  summary.set_policy_problem(job.policy_problem);
  fill_choice(summary, job);
  fill_harm(summary, job);
  fill_notices(summary, job, now);
  summary.set_attempts_running(static_cast<std::uint32_t>(job.live.size()));
  summary.set_copies_running(running_copies(job));
  summary.set_attempts_launched(job.attempts_launched);
  summary.set_attempts_failed(job.attempts_failed);
  summary.set_elapsed_ns(((is_final(job.state) ? job.ended_at : now) - job.submitted_at).count());
  if (counters == ShowCounters::No) {  // one of many
    if (!job.spec.skip.inputs.empty()) summary.mutable_settings()->mutable_skip()->clear_inputs();
    fill_listed_parameters(summary, job);
    return summary;
  }
  protocol::put(job.spec.parameters, summary.mutable_parameters());
  fill_inputs(summary, job);
  protocol::put(job.counters, summary.mutable_counters());
  return summary;
}

std::string waiting_for(const Job& job, const scheduler::Cluster& cluster) {
  if (job.state != scheduler::JobState::Running || !job.live.empty() || job.tasks_done == job.tasks.size()) return {};
  const char* what = "workers";
  bool is_any_serving = false;
  for (const auto& [id, node] : cluster.nodes()) {
    if (node.state != scheduler::NodeState::Live) continue;
    what = "a worker that is not drained";
    if (node.duty != scheduler::Duty::Serves) continue;
    is_any_serving = true;
    if (job.attempts_failed == 0) break;  // no need to look at thousands of nodes for each job
    if (node.live.size() < node.slots) return "a worker on which it has not failed";
  }
  return is_any_serving ? kWaitsForSlot : what;
}

namespace {

bool is_wanted(const Job& job, const Task& task, const std::string& state) {
  return state.empty() || (state == kOpen ? !task.ledger.is_done() : state == state_name_of(job, task));
}

// The first task from there on that may be in that state; of those that run, many need not be looked at.
std::uint32_t next_candidate(JobId id, const Job& job, std::uint32_t index, const std::string& state) {
  if (state != "running") return index;
  const auto live = job.live.lower_bound(AttemptId{{id, index}, 0});
  return live == job.live.end() ? job.tasks.size() : live->task.index;
}

}  // namespace

void TaskViews::append_to(wire::Reply::Job& reply, JobId id, const Job& job, const Wanted& wanted) const {
  std::size_t bytes = 0;
  std::uint32_t looked_at = 0;
  for (std::uint32_t index = wanted.first;; ++index, ++looked_at) {
    index = next_candidate(id, job, index, wanted.state);
    if (index >= job.tasks.size()) return;
    const bool has_enough = wanted.max > 0 && reply.tasks_size() >= static_cast<int>(wanted.max);
    if (bytes > kReplyBytesMax || has_enough || looked_at >= kLookedAt) {
      reply.set_next_task(index);
      return;
    }
    job.tasks.look_at(index, [&](const Task& task) {
      if (!is_wanted(job, task, wanted.state)) return;
      wire::TaskDetail* detail = reply.add_tasks();
      fill(*detail, {id, index}, job, task);
      bytes += detail->ByteSizeLong();
    });
  }
}

void TaskViews::fill(wire::TaskDetail& detail, TaskId id, const Job& job, const Task& task) const {
  detail.set_index(id.index);
  const scheduler::InputFile& input = job.spec.inputs.at(task.file);
  detail.set_path(input.path);
  detail.set_files(std::max<std::uint32_t>(static_cast<std::uint32_t>(input.parts.size()), 1));
  protocol::put(task.ledger.split(), detail.mutable_split());
  detail.set_state(state_name_of(job, task));
  for (const Segment& segment : task.ledger.segments()) master::fill(*detail.add_segments(), segment);
  for (std::uint32_t number = 0; number < task.attempts.size(); ++number) {
    fill(*detail.add_attempts(), {id, number}, task.attempts[number]);
  }
}

void TaskViews::fill(wire::AttemptDetail& detail, AttemptId id, const Attempt& attempt) const {
  const scheduler::Node* node = cluster_.find_node(attempt.node);
  detail.set_number(id.number);
  detail.set_node(attempt.node.value);
  if (node != nullptr) detail.set_node_name(node->name);
  detail.set_state(name_of(attempt.state));
  detail.set_start_offset(attempt.start_offset);
  detail.set_offset(attempt.offset);
  detail.set_launched_unix_ns(moment(attempt.launched_at));
  detail.set_started_unix_ns(moment(attempt.started_at));
  detail.set_ended_unix_ns(moment(attempt.ended_at));
  detail.set_message(failures_.of(id));
  detail.set_speculative(attempt.speculative);
}

namespace {

void fill(wire::Histogram& view, const Histogram& histogram) {
  for (std::size_t i = 0; i < Histogram::kBounds; ++i) view.add_bounds_ns(Histogram::bound(i).count());
  for (const std::uint64_t count : histogram.counts()) view.add_counts(count);
  view.set_sum_ns(histogram.sum().count());
}

}  // namespace

wire::Measures view_of(const Measures& measures, const SessionCounters& counters) {
  wire::Measures view;
  fill(*view.mutable_journal(), measures.journal);
  fill(*view.mutable_heartbeat_lag(), measures.heartbeat_lag);
  view.set_records(measures.records);
  view.set_refused(counters.refused);
  view.set_forbidden(counters.forbidden);
  view.set_malformed(counters.malformed);
  view.set_stuck(counters.stuck);
  return view;
}

}  // namespace ontime::master
