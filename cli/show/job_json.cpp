#include "cli/show/job_json.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "cli/show/insight_json.h"
#include "cli/show/insight_text.h"
#include "cli/show/job_text.h"
#include "common/base/byte_range.h"
#include "common/base/ids.h"
#include "common/base/time.h"

namespace ontime::cli {
namespace {

using Json = nlohmann::ordered_json;

Json instant(std::int64_t unix_ns) { return unix_ns == 0 ? Json(nullptr) : Json(unix_ns); }
Json duration(std::int64_t ns) { return seconds(Duration(ns)); }
Json offset(std::uint64_t value) { return value == kUnknownEnd ? Json(nullptr) : Json(value); }

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

Json summary(const wire::JobSummary& job) {
  const bool has_deadline = job.deadline_ns() > 0;
  return {
      {"job", to_string(JobId{job.job()})},
      {"state", state_name(job.state())},
      {"application", job.application()},
      {"output", job.output()},
      {"owner", job.owner().empty() ? Json(nullptr) : Json(job.owner())},
      {"policy", job.policy()},
      {"policy_problem", job.policy_problem()},
      {"policy_parameters", entries_of(job.policy_parameters())},
      {"estimator", job.estimator()},
      {"checkpoint_seconds", job.checkpoint_interval_ns() > 0 ? duration(job.checkpoint_interval_ns()) : Json(nullptr)},
      {"restarts_without_checkpoints", restarts_without_checkpoints(job)},
      {"on_miss", job.kill_on_miss() ? "kill" : "finish"},
      {"submitted_unix_ns", instant(job.submitted_unix_ns())},
      {"ended_unix_ns", instant(job.ended_unix_ns())},
      {"elapsed_seconds", duration(job.elapsed_ns())},
      {"deadline_seconds", has_deadline ? duration(job.deadline_ns()) : Json(nullptr)},
      {"deadline_met", has_deadline && has_ended(job) ? Json(!missed_its_deadline(job)) : Json(nullptr)},
      {"tasks", job.tasks()},
      {"tasks_done", job.tasks_done()},
      {"input_bytes", job.input_bytes()},
      {"mapped_bytes", job.mapped_bytes()},
      {"records", job.records()},
      {"attempts_running", job.attempts_running()},
      {"attempts_launched", job.attempts_launched()},
      {"attempts_failed", job.attempts_failed()},
      {"counters", counters_of(job)},
      {"message", job.message()}};
}

Json segment(const wire::SegmentDetail& segment) {
  const bool is_sealed = segment.state() == "sealed";
  return {{"begin", segment.range().begin()}, {"end", offset(segment.range().end())},
          {"state", segment.state()},         {"attempt", is_sealed ? Json(segment.attempt()) : Json(nullptr)},
          {"records", segment.records()},     {"output_bytes", segment.output_bytes()}};
}

Json attempt(const wire::AttemptDetail& attempt) {
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

Json task(const wire::TaskDetail& task) {
  Json json = {{"task", task.index()},          {"path", task.path()},
               {"begin", task.split().begin()}, {"end", offset(task.split().end())},
               {"state", task.state()},         {"segments", Json::array()},
               {"attempts", Json::array()}};
  for (const auto& item : task.segments()) json["segments"].push_back(segment(item));
  for (const auto& item : task.attempts()) json["attempts"].push_back(attempt(item));
  return json;
}

// Names and messages are bytes from elsewhere: what is no UTF-8 is replaced.
std::string text_of(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json hold(const wire::NodeSummary& node) {
  if (!node.has_hold()) return nullptr;
  return {{"cause", node.hold().cause()},
          {"so_far_seconds", duration(node.hold().so_far_ns())},
          {"left_seconds", duration(node.hold().left_ns())},
          {"reason", node.hold().reason()}};
}

}  // namespace

std::string jobs_json(const wire::Reply::Jobs& jobs) {
  Json list = Json::array();
  for (const auto& job : jobs.jobs()) {
    list.push_back(summary(job));
    if (job.has_forecast()) list.back()["forecast"] = forecast_value(job.forecast());
  }
  Json document;
  document["jobs"] = std::move(list);
  for (const auto& policy : jobs.accounts())
    document["accounts"][policy.policy()] = {{"jobs", policy.jobs()}, {"account", account_value(policy.account())}};
  return text_of(document);
}

std::string job_json(const wire::Reply::Job& job, bool with_tasks, bool open_only) {
  return job_json(job, with_tasks, open_only, nullptr);
}

std::string job_json(const wire::Reply::Job& job, bool with_tasks, bool open_only,
                     const wire::Reply::Explained* explained) {
  Json json = summary(job.summary());
  json["forecast"] = job.summary().has_forecast() ? forecast_value(job.summary().forecast()) : Json(nullptr);
  if (job.has_account()) {
    json["account"] = account_value(job.account());
    json["copies"] = copies_value(job);
  }
  if (explained != nullptr) json["explanation"] = explanation_value(*explained);
  if (with_tasks) {
    json["task_list"] = Json::array();
    for (const auto& item : job.tasks())
      if (!open_only || item.state() != "done") json["task_list"].push_back(task(item));
  }
  return text_of(json);
}

std::string explained_json(const wire::Reply::Explained& explained) {
  Json json = summary(explained.summary());
  json["explanation"] = explanation_value(explained);
  return text_of(json);
}

std::string nodes_json(const wire::Reply::Nodes& nodes) {
  Json list = Json::array();
  for (const auto& node : nodes.nodes())
    list.push_back({{"node", to_string(NodeId{node.node()})},
                    {"name", node.name()},
                    {"host", node.host()},
                    {"state", node.state()},
                    {"slots", node.slots()},
                    {"busy", node.busy()},
                    {"silent_seconds", duration(node.silent_ns())},
                    {"attempts_failed", node.attempts_failed()},
                    {"hold", hold(node)}});
  Json document;
  document["nodes"] = std::move(list);
  return text_of(document);
}

}  // namespace ontime::cli
