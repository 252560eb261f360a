#pragma once
// The same as JSON, for programs: the field names are an interface and stay. Sizes are in bytes, durations in seconds,
// instants in nanoseconds since the Unix epoch; what is not known is null. Pure.

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "common/protocol/client.pb.h"

namespace ontime::cli {

enum class Layout { Indented, Compact };  // compact: for pages, which ask often

// Documents, each with a line end.
// With "accounts" by policy and "forecast" of jobs if the reply has them.
std::string jobs_json(const wire::Reply::Jobs& jobs);
// With "task_list" if `with_tasks`, "explanation" if there is one, "overview" and "forecasts" as far as the reply has
// them. Machine time is in nanoseconds, so that it balances.
std::string job_json(const wire::Reply::Job& job, bool with_tasks, const wire::Reply::Explained* explained = nullptr,
                     Layout layout = Layout::Indented);
std::string explained_json(const wire::Reply::Explained& explained);
// In order of their attempts.
std::string logs_json(const wire::Reply::Logs& logs);
std::string nodes_json(const wire::Reply::Nodes& nodes);
std::string node_json(const wire::NodeSummary& node);
// The state of each job that `ontime kill` named.
std::string killed_json(const std::vector<std::pair<JobId, wire::JobState>>& jobs);

// Values, of which documents and tables are made.
nlohmann::ordered_json job_value(const wire::JobSummary& job);
nlohmann::ordered_json listed_job_value(const wire::JobSummary& job);  // with "forecast" if it has one
nlohmann::ordered_json node_value(const wire::NodeSummary& node);
nlohmann::ordered_json task_value(const wire::TaskDetail& task);
nlohmann::ordered_json account_value(const wire::Account& account);
std::string text_of(const nlohmann::ordered_json& document, Layout layout = Layout::Indented);

// What bytes and machine time went into: the parts of the bytes add up to those mapped, those of the time to the total.
struct AccountPart {
  const char* key;                                // in JSON and metrics
  const char* name;                               // for people
  std::uint64_t (wire::Account::*bytes)() const;  // null: a part of the time alone
  std::int64_t (wire::Account::*nanoseconds)() const;
};
inline constexpr std::array<AccountPart, 6> kAccountParts{{
    {"useful", "useful", &wire::Account::useful_bytes, &wire::Account::useful_ns},
    {"duplicated", "duplicated", &wire::Account::duplicated_bytes, &wire::Account::duplicated_ns},
    {"dropped", "dropped", &wire::Account::dropped_bytes, &wire::Account::dropped_ns},
    {"open", "not sealed yet", &wire::Account::open_bytes, &wire::Account::open_ns},
    {"launch", "launching", nullptr, &wire::Account::launch_ns},
    {"standby", "standing by", nullptr, &wire::Account::standby_ns},
}};

}  // namespace ontime::cli
