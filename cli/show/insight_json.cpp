#include "cli/show/insight_json.h"

#include "common/base/byte_range.h"
#include "common/base/ids.h"
#include "common/base/time.h"

namespace ontime::cli {
namespace {

using Json = nlohmann::ordered_json;

Json in_seconds(std::int64_t ns) { return seconds(Duration(ns)); }
Json offset(std::uint64_t value) { return value == kUnknownEnd ? Json(nullptr) : Json(value); }

Json durations_value(const wire::Durations& durations) {
  const bool is_known = durations.t_min_ns() > 0;
  return {{"t_min_seconds", is_known ? in_seconds(durations.t_min_ns()) : Json(nullptr)},
          {"beta", durations.beta()},
          {"beta_error", durations.beta_error() > 0 ? Json(durations.beta_error()) : Json(nullptr)},
          {"source", durations.source()},
          {"attempts", durations.attempts()},
          {"launch_seconds", in_seconds(durations.launch_ns())},
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
          {"saved_seconds", in_seconds(fate.saved_ns())},
          {"launched_seconds", in_seconds(fate.launched_ns())},
          {"ended_seconds", fate.ended_ns() == 0 ? Json(nullptr) : in_seconds(fate.ended_ns())}};
}

Json fates_value(const google::protobuf::RepeatedPtrField<wire::CopyFate>& fates) {
  Json list = Json::array();
  for (const auto& fate : fates) list.push_back(fate_value(fate));
  return list;
}

Json decision_value(const wire::DecisionDetail& decision) {
  const auto known = [](bool is_known, Json value) { return is_known ? std::move(value) : Json(nullptr); };
  return {{"at_seconds", in_seconds(decision.at_ns())},
          {"what", decision.what()},
          {"reason", decision.reason()},
          {"attempt", known(decision.has_attempt(), decision.attempt())},
          {"segment", decision.segment()},
          {"resume_at", known(decision.has_resume_at(), decision.resume_at())},
          {"pieces", decision.pieces()},
          {"copies", decision.copies()},
          {"release", decision.release()},
          {"when_ready", decision.when_ready()},
          {"expected_seconds", known(decision.has_completion_ns(), in_seconds(decision.completion_ns()))},
          {"pocd_before", known(decision.has_pocd_before(), decision.pocd_before())},
          {"pocd_after", known(decision.has_pocd_after(), decision.pocd_after())},
          {"text", decision.text()},
          {"attempts", fates_value(decision.fates())}};
}

Json held_value(const wire::HeldNode& held) {
  return {{"node", to_string(NodeId{held.node()})},
          {"node_name", held.node_name()},
          {"cause", held.cause()},
          {"since_seconds", in_seconds(held.since_ns())},
          {"until_seconds", in_seconds(held.until_ns())},
          {"is_over", held.is_over()},
          {"reason", held.reason()}};
}

Json task_value(const wire::ExplainedTask& task) {
  Json json = {{"task", task.index()},
               {"begin", task.split().begin()},
               {"end", offset(task.split().end())},
               {"state", task.state()},
               {"done_seconds", task.has_done_ns() ? in_seconds(task.done_ns()) : Json(nullptr)},
               {"decisions", Json::array()},
               {"clones", fates_value(task.clones())},
               {"declined", nullptr}};
  for (const auto& decision : task.decisions()) json["decisions"].push_back(decision_value(decision));
  if (!task.has_declined()) return json;
  json["declined"] = {{"reason", task.declined().reason()},
                      {"since_seconds", in_seconds(task.declined().since_ns())},
                      {"last_seconds", in_seconds(task.declined().last_ns())}};
  return json;
}

}  // namespace

Json account_value(const wire::Account& account) {
  return {{"attempts", account.attempts()},
          {"bytes",
           {{"mapped", account.mapped_bytes()},
            {"useful", account.useful_bytes()},
            {"duplicated", account.duplicated_bytes()},
            {"dropped", account.dropped_bytes()},
            {"open", account.open_bytes()}}},
          {"machine_ns",
           {{"total", account.total_ns()},
            {"launch", account.launch_ns()},
            {"standby", account.standby_ns()},
            {"useful", account.useful_ns()},
            {"duplicated", account.duplicated_ns()},
            {"dropped", account.dropped_ns()},
            {"open", account.open_ns()}}},
          {"saved", {{"attempts", account.resumed()}, {"bytes", account.saved_bytes()}, {"ns", account.saved_ns()}}}};
}

Json forecast_value(const wire::Forecast& forecast) {
  const auto instant = [](bool is_known, std::int64_t ns) { return is_known ? in_seconds(ns) : Json(nullptr); };
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
  for (const auto& task : explained.tasks()) json["tasks"].push_back(task_value(task));
  return json;
}

}  // namespace ontime::cli
