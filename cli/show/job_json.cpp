#include "cli/show/job_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/job_fields.h"
#include "cli/show/job_text.h"
#include "common/base/byte_range.h"
#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/protocol/job_state.h"

namespace ontime::cli {
namespace {

using Json = nlohmann::ordered_json;

template <class Items, class ValueOf>
Json list_of(const Items& items, ValueOf value_of) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(value_of(item));
  return list;
}

Json known(bool is_known, Json value) { return is_known ? std::move(value) : Json(nullptr); }
Json text_or_null(const std::string& text) { return known(!text.empty(), text); }
Json seconds_value(std::int64_t ns) { return seconds(Duration(ns)); }
Json instant(std::int64_t unix_ns) { return known(unix_ns != 0, unix_ns); }
Json offset(std::uint64_t value) { return known(value != kUnknownEnd, value); }

Json durations_value(const wire::Durations& durations) {
  return {{"t_min_seconds", known(durations.t_min_ns() > 0, seconds_value(durations.t_min_ns()))},
          {"beta", durations.beta()},
          {"beta_error", known(durations.beta_error() > 0, durations.beta_error())},
          {"source", durations.source()},
          {"attempts", durations.attempts()},
          {"launch_seconds", seconds_value(durations.launch_ns())},
          {"launch_source", durations.launch_source()}};
}

Json fate_value(const wire::CopyFate& fate) {
  return {{"attempt", fate.attempt()},
          {"node_name", fate.node_name()},
          {"state", fate.state()},
          {"standby", fate.standby()},
          {"from", fate.from()},
          {"offset", fate.offset()},
          {"sealed_bytes", fate.sealed_bytes()},
          {"saved_bytes", fate.saved_bytes()},
          {"saved_seconds", seconds_value(fate.saved_ns())},
          {"launched_seconds", seconds_value(fate.launched_ns())},
          {"ended_seconds", known(fate.ended_ns() != 0, seconds_value(fate.ended_ns()))}};
}

Json decision_value(const wire::DecisionDetail& decision) {
  return {{"at_seconds", seconds_value(decision.at_ns())},
          {"what", decision.what()},
          {"reason", decision.reason()},
          {"attempt", known(decision.has_attempt(), decision.attempt())},
          {"segment", decision.segment()},
          {"resume_at", known(decision.has_resume_at(), decision.resume_at())},
          {"pieces", decision.pieces()},
          {"copies", decision.copies()},
          {"release", decision.release()},
          {"when_ready", decision.when_ready()},
          {"expected_seconds", known(decision.has_completion_ns(), seconds_value(decision.completion_ns()))},
          {"pocd_before", known(decision.has_pocd_before(), decision.pocd_before())},
          {"pocd_after", known(decision.has_pocd_after(), decision.pocd_after())},
          {"text", decision_sentence(decision)},
          {"attempts", list_of(decision.fates(), fate_value)}};
}

Json held_value(const wire::HeldNode& held) {
  return {{"node", to_string(NodeId{held.node()})},
          {"node_name", held.node_name()},
          {"cause", held.cause()},
          {"since_seconds", seconds_value(held.since_ns())},
          {"until_seconds", seconds_value(held.until_ns())},
          {"is_over", held.is_over()},
          {"reason", held.reason()}};
}

Json explained_task_value(const wire::ExplainedTask& task) {
  Json json = {{"task", task.index()},
               {"begin", task.split().begin()},
               {"end", offset(task.split().end())},
               {"state", task.state()},
               {"done_seconds", known(task.has_done_ns(), seconds_value(task.done_ns()))},
               {"decisions", list_of(task.decisions(), decision_value)},
               {"clones", list_of(task.clones(), fate_value)},
               {"declined", nullptr}};
  if (!task.has_declined()) return json;
  json["declined"] = {{"reason", task.declined().reason()},
                      {"text", reason_text(task.declined().reason())},
                      {"since_seconds", seconds_value(task.declined().since_ns())},
                      {"last_seconds", seconds_value(task.declined().last_ns())}};
  return json;
}

Json notify_value(const wire::Notice& notice) {
  return {{"when", notice.when()},
          {"what", notice.what()},
          {"told_unix_ns", instant(notice.told_unix_ns())},
          {"problem", text_or_null(notice.problem())}};
}

Json entries_value(const google::protobuf::RepeatedPtrField<wire::Entry>& entries) {
  Json values = Json::object();
  for (const wire::Entry& entry : entries) values[entry.key()] = entry.value();
  return values;
}

Json counters_of(const wire::JobSummary& job) {
  Json groups = Json::object();
  for (const auto& counter : job.counters())
    groups[counter.group()][counter.name()] = static_cast<std::int64_t>(counter.value());
  return groups;
}

// Of a job or a segment: its output before compression.
template <class Message>
std::uint64_t content_of(const Message& message) {
  return message.output_content_bytes() > 0 ? message.output_content_bytes() : message.output_bytes();
}

Json segment_value(const wire::SegmentDetail& segment) {
  return {{"begin", segment.range().begin()},
          {"end", offset(segment.range().end())},
          {"state", segment.state()},
          {"attempt", known(segment.state() == "sealed", segment.attempt())},
          {"records", segment.records()},
          {"output_bytes", segment.output_bytes()},
          {"output_content_bytes", content_of(segment)}};
}

Json attempt_value(const wire::AttemptDetail& attempt) {
  return {{"attempt", attempt.number()},
          {"speculative", attempt.speculative()},
          {"node", to_string(NodeId{attempt.node()})},
          {"node_name", attempt.node_name()},
          {"state", attempt.state()},
          {"start_offset", attempt.start_offset()},
          {"offset", attempt.offset()},
          {"launched_unix_ns", instant(attempt.launched_unix_ns())},
          {"started_unix_ns", instant(attempt.started_unix_ns())},
          {"ended_unix_ns", instant(attempt.ended_unix_ns())},
          {"message", attempt.message()}};
}

Json hold_value(const wire::NodeSummary& node) {
  if (!node.has_hold()) return nullptr;
  return {{"cause", node.hold().cause()},
          {"so_far_seconds", seconds_value(node.hold().so_far_ns())},
          {"left_seconds", seconds_value(node.hold().left_ns())},
          {"reason", node.hold().reason()}};
}

Json forecast_value(const wire::Forecast& forecast) {
  return {{"pocd", known(forecast.has_pocd(), forecast.pocd())},
          {"low_seconds", known(forecast.has_low_ns(), seconds_value(forecast.low_ns()))},
          {"median_seconds", known(forecast.has_median_ns(), seconds_value(forecast.median_ns()))},
          {"high_seconds", known(forecast.has_high_ns(), seconds_value(forecast.high_ns()))},
          {"waiting", forecast.waiting()},
          {"standing", forecast.standing()},
          {"unknown", forecast.unknown()},
          {"durations", durations_value(forecast.durations())}};
}

Json copies_value(const wire::Reply::Job& job) {
  Json json = Json::object();
  for (const auto& copies : job.copies())
    json[copies.reason()] = {{"decisions", copies.decisions()}, {"attempts", copies.attempts()}};
  return json;
}

template <class Numbers>
Json numbers_of(const Numbers& numbers) {
  return Json(std::vector<std::uint64_t>(numbers.begin(), numbers.end()));
}

Json task_attempt_value(const wire::TaskAttempt& listed) {
  Json json = attempt_value(listed.attempt());
  json["task"] = listed.task();
  return json;
}

Json overview_row_value(const wire::OverviewRow& row) {
  return {{"first_node", row.first_node()},
          {"last_node", row.last_node()},
          {"nodes", row.nodes()},
          {"slots", row.slots()},
          {"busy_hundredths", numbers_of(row.busy())},
          {"failed", numbers_of(row.failed())},
          {"attempts", row.attempts()},
          {"attempts_failed", row.attempts_failed()},
          {"mapped_bytes", row.mapped_bytes()},
          {"busy_seconds", seconds_value(row.busy_ns())}};
}

// A place is [done, running, failed].
Json overview_value(const wire::Overview& overview) {
  const auto place_value = [](const wire::OverviewPlace& place) {
    return Json::array({place.done(), place.running(), place.failed()});
  };
  return {{"made_seconds", seconds_value(overview.made_ns())},
          {"step_seconds", seconds_value(overview.step_ns())},
          {"running_thousandths", numbers_of(overview.running())},
          {"attempts", overview.attempts()},
          {"rows", list_of(overview.rows(), overview_row_value)},
          {"tasks_in_place", overview.tasks_in_place()},
          {"places", list_of(overview.places(), place_value)},
          {"failures", list_of(overview.failures(), task_attempt_value)},
          {"longest", list_of(overview.longest(), task_attempt_value)}};
}

Json forecast_point_value(const wire::ForecastPoint& point) {
  return {{"at_seconds", seconds_value(point.at_ns())},
          {"pocd", known(point.has_pocd(), point.pocd())},
          {"low_seconds", known(point.has_low_ns(), seconds_value(point.low_ns()))},
          {"median_seconds", known(point.has_median_ns(), seconds_value(point.median_ns()))},
          {"high_seconds", known(point.has_high_ns(), seconds_value(point.high_ns()))}};
}

Json explanation_value(const wire::Reply::Explained& explained) {
  return {{"held_nodes", list_of(explained.held_nodes(), held_value)},
          {"decisions", list_of(explained.decisions(), decision_value)},
          {"tasks", list_of(explained.tasks(), explained_task_value)},
          {"tasks_left_out", explained.tasks_left_out()},
          {"decisions_dropped", explained.decisions_dropped()}};
}

}  // namespace

Json job_value(const wire::JobSummary& job) {
  const wire::JobSettings& settings = job.settings();
  const bool has_deadline = settings.deadline() > 0;
  Json value = {{"job", to_string(JobId{job.job()})}};
  value.update(settings_value(settings));
  value.update({{"state", protocol::name_of(job.state())},
                {"application", job.application()},
                {"parameters", entries_value(job.parameters())},
                {"input_files", job.input_files()},
                {"inputs", job.inputs()},
                {"files", job.files()},
                {"output", job.output()},
                {"owner", text_or_null(job.owner())},
                {"policy_chosen", text_or_null(job.policy_chosen())},
                {"policy_choice", text_or_null(job.policy_choice())},
                {"policy_harm", text_or_null(job.policy_harm())},
                {"policy_problem", job.policy_problem()},
                {"restarts_without_checkpoints", restarts_without_checkpoints(job)},
                {"submitted_unix_ns", instant(job.submitted_unix_ns())},
                {"due_unix_ns", instant(due_unix_ns(job).value_or(0))},
                {"expected_end_unix_ns", instant(expected_end_unix_ns(job).value_or(0))},
                {"ended_unix_ns", instant(job.ended_unix_ns())},
                {"elapsed_seconds", seconds_value(job.elapsed_ns())},
                {"deadline_met", known(has_deadline && protocol::has_ended(job), !missed_its_deadline(job))},
                {"lateness", known(has_deadline, name_of(lateness_of(job)))},
                {"tasks", job.tasks()},
                {"tasks_done", job.tasks_done()},
                {"input_bytes", job.input_bytes()},
                {"mapped_bytes", job.mapped_bytes()},
                {"records", job.records()},
                {"output_bytes", job.output_bytes()},
                {"output_content_bytes", content_of(job)},
                {"waiting_for", text_or_null(job.waiting_for())},
                {"attempts_running", job.attempts_running()},
                {"copies_running", job.copies_running()},
                {"attempts_launched", job.attempts_launched()},
                {"attempts_failed", job.attempts_failed()},
                {"counters", counters_of(job)},
                {"notify", list_of(job.notify(), notify_value)},
                {"message", job.message()}});
  return value;
}

Json machine_value(const wire::NodeSummary& node) {
  if (!node.has_machine()) return nullptr;
  const wire::MachineUse& use = node.machine();
  return {{"cores", use.cores()},
          {"busy_cores", use.busy_cores()},
          {"memory_bytes", use.memory_bytes()},
          {"used_bytes", use.used_bytes()}};
}

Json node_value(const wire::NodeSummary& node) {
  return {{"node", to_string(NodeId{node.node()})},
          {"name", node.name()},
          {"host", node.host()},
          {"state", node.state()},
          {"slots", node.slots()},
          {"busy", node.busy()},
          {"silent_seconds", seconds_value(node.silent_ns())},
          {"attempts_failed", node.attempts_failed()},
          {"speed", known(node.speed() > 0, node.speed())},
          {"leaves_in_seconds", known(node.leaves_in_ns() > 0, seconds_value(node.leaves_in_ns()))},
          {"machine", machine_value(node)},
          {"hold", hold_value(node)}};
}

Json task_value(const wire::TaskDetail& task) {
  return {{"task", task.index()},
          {"path", task.path()},
          {"files", task.files()},
          {"begin", task.split().begin()},
          {"end", offset(task.split().end())},
          {"state", task.state()},
          {"segments", list_of(task.segments(), segment_value)},
          {"attempts", list_of(task.attempts(), attempt_value)}};
}

Json account_value(const wire::Account& account) {
  Json bytes = {{"mapped", account.mapped_bytes()}};
  Json machine = {{"total", account.total_ns()}};
  for (const AccountPart& part : kAccountParts) {
    if (part.bytes != nullptr) bytes[part.key] = (account.*part.bytes)();
    machine[part.key] = (account.*part.nanoseconds)();
  }
  return {{"attempts", account.attempts()},
          {"bytes", std::move(bytes)},
          {"machine_ns", std::move(machine)},
          {"saved", {{"attempts", account.resumed()}, {"bytes", account.saved_bytes()}, {"ns", account.saved_ns()}}}};
}

Json listed_job_value(const wire::JobSummary& job) {
  Json json = job_value(job);
  // Lists come without these, and with parameters that are cut.
  for (const char* whole : {"counters", "parameters", "input_files", "inputs", "files"}) json.erase(whole);
  json["parameters_text"] = settings_text(job);
  if (job.has_forecast()) json["forecast"] = forecast_value(job.forecast());
  return json;
}

// Names and messages are bytes from elsewhere: what is no UTF-8 is replaced.
std::string text_of(const Json& document, Layout layout) {
  return document.dump(layout == Layout::Compact ? -1 : 2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string jobs_json(const wire::Reply::Jobs& jobs) {
  Json document = {{"jobs", list_of(jobs.jobs(), listed_job_value)}};
  for (const auto& policy : jobs.accounts())
    document["accounts"][policy.policy()] = {{"jobs", policy.jobs()}, {"account", account_value(policy.account())}};
  return text_of(document);
}

std::string job_json(const wire::Reply::Job& job, bool with_tasks, const wire::Reply::Explained* explained,
                     Layout layout) {
  Json json = job_value(job.summary());
  json["forecast"] = known(job.summary().has_forecast(), forecast_value(job.summary().forecast()));
  if (job.has_account()) {
    json["account"] = account_value(job.account());
    json["copies"] = copies_value(job);
  }
  if (explained != nullptr) json["explanation"] = explanation_value(*explained);
  if (job.has_overview()) json["overview"] = overview_value(job.overview());
  if (job.forecasts_size() > 0) json["forecasts"] = list_of(job.forecasts(), forecast_point_value);
  if (with_tasks) json["task_list"] = list_of(job.tasks(), task_value);
  return text_of(json, layout);
}

std::string explained_json(const wire::Reply::Explained& explained) {
  Json json = listed_job_value(explained.summary());
  json["explanation"] = explanation_value(explained);
  return text_of(json);
}

std::string logs_json(const wire::Reply::Logs& logs) {
  std::vector<const wire::Reply::Logs::Log*> sorted;
  for (const auto& log : logs.logs()) sorted.push_back(&log);
  std::ranges::sort(sorted, {}, [](const auto* log) { return std::pair(log->task(), log->attempt()); });
  const auto value_of = [](const wire::Reply::Logs::Log* log) -> Json {
    return {{"task", log->task()},
            {"attempt", log->attempt()},
            {"node", log->node_name()},
            {"begin", log->begin()},
            {"text", log->text()}};
  };
  return text_of({{"logs", list_of(sorted, value_of)}, {"dropped", logs.dropped()}});
}

std::string nodes_json(const wire::Reply::Nodes& nodes) {
  return text_of({{"nodes", list_of(nodes.nodes(), node_value)}, {"slots_wanted", nodes.slots_wanted()}});
}

std::string node_json(const wire::NodeSummary& node) { return text_of(node_value(node)); }

std::string killed_json(const std::vector<std::pair<JobId, wire::JobState>>& jobs) {
  const auto value_of = [](const auto& job) -> Json {
    return {{"job", to_string(job.first)}, {"state", protocol::name_of(job.second)}};
  };
  return text_of({{"jobs", list_of(jobs, value_of)}});
}

}  // namespace ontime::cli
