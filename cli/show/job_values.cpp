#include <nlohmann/json.hpp>
#include <utility>

#include "cli/show/job_json.h"
#include "cli/show/job_text.h"
#include "common/base/byte_range.h"
#include "common/base/ids.h"
#include "common/base/time.h"

namespace ontime::cli {
namespace {

using Json = nlohmann::ordered_json;

Json seconds_value(std::int64_t ns) { return seconds(Duration(ns)); }
Json instant(std::int64_t unix_ns) { return unix_ns == 0 ? Json(nullptr) : Json(unix_ns); }
Json offset(std::uint64_t value) { return value == kUnknownEnd ? Json(nullptr) : Json(value); }

Json durations_value(const wire::Durations& durations) {
  const bool is_known = durations.t_min_ns() > 0;
  return {{"t_min_seconds", is_known ? seconds_value(durations.t_min_ns()) : Json(nullptr)},
          {"beta", durations.beta()},
          {"beta_error", durations.beta_error() > 0 ? Json(durations.beta_error()) : Json(nullptr)},
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
          {"ended_seconds", fate.ended_ns() == 0 ? Json(nullptr) : seconds_value(fate.ended_ns())}};
}

Json fates_value(const google::protobuf::RepeatedPtrField<wire::CopyFate>& fates) {
  Json list = Json::array();
  for (const auto& fate : fates) list.push_back(fate_value(fate));
  return list;
}

Json decision_value(const wire::DecisionDetail& decision) {
  const auto known = [](bool is_known, Json value) { return is_known ? std::move(value) : Json(nullptr); };
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
          {"text", decision.text()},
          {"attempts", fates_value(decision.fates())}};
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
               {"done_seconds", task.has_done_ns() ? seconds_value(task.done_ns()) : Json(nullptr)},
               {"decisions", Json::array()},
               {"clones", fates_value(task.clones())},
               {"declined", nullptr}};
  for (const auto& decision : task.decisions()) json["decisions"].push_back(decision_value(decision));
  if (!task.has_declined()) return json;
  json["declined"] = {{"reason", task.declined().reason()},
                      {"since_seconds", seconds_value(task.declined().since_ns())},
                      {"last_seconds", seconds_value(task.declined().last_ns())}};
  return json;
}

Json entries_of(const google::protobuf::RepeatedPtrField<wire::Entry>& entries) {
  Json json = Json::object();
  for (const auto& entry : entries) json[entry.key()] = entry.value();
  return json;
}

Json counters_of(const wire::JobSummary& job) {
  Json groups = Json::object();
  for (const auto& counter : job.counters()) groups[counter.group()][counter.name()] = counter.value();
  return groups;
}

Json segment_value(const wire::SegmentDetail& segment) {
  const bool is_sealed = segment.state() == "sealed";
  return {{"begin", segment.range().begin()}, {"end", offset(segment.range().end())},
          {"state", segment.state()},         {"attempt", is_sealed ? Json(segment.attempt()) : Json(nullptr)},
          {"records", segment.records()},     {"output_bytes", segment.output_bytes()}};
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

}  // namespace

Json job_value(const wire::JobSummary& job) {
  const bool has_deadline = job.deadline_ns() > 0;
  return {{"job", to_string(JobId{job.job()})},
          {"name", job.name().empty() ? Json(nullptr) : Json(job.name())},
          {"priority", job.priority()},
          {"state", state_name(job.state())},
          {"application", job.application()},
          {"output", job.output()},
          {"owner", job.owner().empty() ? Json(nullptr) : Json(job.owner())},
          {"policy", job.policy()},
          {"policy_problem", job.policy_problem()},
          {"policy_parameters", entries_of(job.policy_parameters())},
          {"estimator", job.estimator()},
          {"checkpoint_seconds",
           job.checkpoint_interval_ns() > 0 ? seconds_value(job.checkpoint_interval_ns()) : Json(nullptr)},
          {"restarts_without_checkpoints", restarts_without_checkpoints(job)},
          {"on_miss", job.kill_on_miss() ? "kill" : "finish"},
          {"submitted_unix_ns", instant(job.submitted_unix_ns())},
          {"ended_unix_ns", instant(job.ended_unix_ns())},
          {"elapsed_seconds", seconds_value(job.elapsed_ns())},
          {"deadline_seconds", has_deadline ? seconds_value(job.deadline_ns()) : Json(nullptr)},
          {"deadline_met", has_deadline && has_ended(job) ? Json(!missed_its_deadline(job)) : Json(nullptr)},
          {"tasks", job.tasks()},
          {"tasks_done", job.tasks_done()},
          {"input_bytes", job.input_bytes()},
          {"mapped_bytes", job.mapped_bytes()},
          {"records", job.records()},
          {"waiting_for", job.waiting_for().empty() ? Json(nullptr) : Json(job.waiting_for())},
          {"attempts_running", job.attempts_running()},
          {"copies_running", job.copies_running()},
          {"attempts_launched", job.attempts_launched()},
          {"attempts_failed", job.attempts_failed()},
          {"counters", counters_of(job)},
          {"message", job.message()}};
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
          {"hold", hold_value(node)}};
}

Json task_value(const wire::TaskDetail& task) {
  Json json = {{"task", task.index()},
               {"path", task.path()},
               {"files", task.files()},
               {"begin", task.split().begin()},
               {"end", offset(task.split().end())},
               {"state", task.state()},
               {"segments", Json::array()},
               {"attempts", Json::array()}};
  for (const auto& item : task.segments()) json["segments"].push_back(segment_value(item));
  for (const auto& item : task.attempts()) json["attempts"].push_back(attempt_value(item));
  return json;
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

Json forecast_value(const wire::Forecast& forecast) {
  const auto instant = [](bool is_known, std::int64_t ns) { return is_known ? seconds_value(ns) : Json(nullptr); };
  return {{"pocd", forecast.has_pocd() ? Json(forecast.pocd()) : Json(nullptr)},
          {"low_seconds", instant(forecast.has_low_ns(), forecast.low_ns())},
          {"median_seconds", instant(forecast.has_median_ns(), forecast.median_ns())},
          {"high_seconds", instant(forecast.has_high_ns(), forecast.high_ns())},
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

Json explanation_value(const wire::Reply::Explained& explained) {
  Json json = {{"held_nodes", Json::array()},
               {"decisions", Json::array()},
               {"tasks", Json::array()},
               {"tasks_left_out", explained.tasks_left_out()},
               {"decisions_dropped", explained.decisions_dropped()}};
  for (const auto& held : explained.held_nodes()) json["held_nodes"].push_back(held_value(held));
  for (const auto& decision : explained.decisions()) json["decisions"].push_back(decision_value(decision));
  for (const auto& task : explained.tasks()) json["tasks"].push_back(explained_task_value(task));
  return json;
}

}  // namespace ontime::cli
