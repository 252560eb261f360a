#include "cli/show/job_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/show/job_text.h"

namespace ontime::cli {
namespace {

using Json = nlohmann::ordered_json;

// Names and messages are bytes from elsewhere: what is no UTF-8 is replaced.
std::string text_of(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

std::string jobs_json(const wire::Reply::Jobs& jobs) {
  Json list = Json::array();
  for (const auto& job : jobs.jobs()) {
    list.push_back(job_value(job));
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
  Json json = job_value(job.summary());
  json["forecast"] = job.summary().has_forecast() ? forecast_value(job.summary().forecast()) : Json(nullptr);
  if (job.has_account()) {
    json["account"] = account_value(job.account());
    json["copies"] = copies_value(job);
  }
  if (explained != nullptr) json["explanation"] = explanation_value(*explained);
  if (with_tasks) {
    json["task_list"] = Json::array();
    for (const auto& item : job.tasks())
      if (!open_only || item.state() != "done") json["task_list"].push_back(task_value(item));
  }
  return text_of(json);
}

std::string explained_json(const wire::Reply::Explained& explained) {
  Json json = job_value(explained.summary());
  json["explanation"] = explanation_value(explained);
  return text_of(json);
}

std::string logs_json(const wire::Reply::Logs& logs) {
  std::vector<const wire::Reply::Logs::Log*> sorted;
  for (const auto& log : logs.logs()) sorted.push_back(&log);
  std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
    return std::pair(a->task(), a->attempt()) < std::pair(b->task(), b->attempt());
  });
  Json list = Json::array();
  for (const auto* log : sorted)
    list.push_back({{"task", log->task()},
                    {"attempt", log->attempt()},
                    {"node", log->node_name()},
                    {"begin", log->begin()},
                    {"text", log->text()}});
  Json document;
  document["logs"] = std::move(list);
  document["dropped"] = logs.dropped();
  return text_of(document);
}

std::string nodes_json(const wire::Reply::Nodes& nodes) {
  Json list = Json::array();
  for (const auto& node : nodes.nodes()) list.push_back(node_value(node));
  Json document;
  document["nodes"] = std::move(list);
  return text_of(document);
}

std::string node_json(const wire::NodeSummary& node) { return text_of(node_value(node)); }

std::string killed_json(const std::vector<std::pair<JobId, wire::JobState>>& jobs) {
  Json list = Json::array();
  for (const auto& [job, state] : jobs) list.push_back({{"job", to_string(job)}, {"state", state_name(state)}});
  Json document;
  document["jobs"] = std::move(list);
  return text_of(document);
}

}  // namespace ontime::cli
