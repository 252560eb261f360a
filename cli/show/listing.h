#pragma once
// Which jobs and nodes a page shows of many: searched, filtered, sorted and cut to what is asked for. Pure.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/client/master_client.h"
#include "common/base/result.h"
#include "common/protocol/client.pb.h"

namespace ontime::cli {

// The value of a query's parameter; none: it was not given.
using Parameters = std::function<std::optional<std::string>(const char*)>;

struct ListQuery {
  std::string search{};  // a part of a name; case does not matter
  std::string state{};   // only those in it; empty: all
  std::string sort{};    // the name of a column; empty: jobs that run and then the latest, nodes as they came
  bool descending = false;
  std::size_t first = 0;
  std::size_t max = 0;
};

inline constexpr std::size_t kListedMax = 500;

enum class Listed { Jobs, Nodes };

// BadInput: a number that is none or too large; a state, a column or an order that there is not.
Result<ListQuery> read_list_query(const Parameters& parameters, Listed listed);
Result<MasterClient::TaskQuery> read_task_query(const Parameters& parameters);

// "task" and "attempt", both optional.
Result<wire::Request::ReadLogs> read_log_query(const Parameters& parameters);

// What was chosen, with how many there are: {"jobs": [...], "matching": 12, "all": 340, "running": 3}.
std::string listed_jobs_json(const wire::Reply::Jobs& jobs, const ListQuery& query);
// {"nodes": [...], "matching": 12, "all": 340, "live": 300, "held_back": 1, "slots": 1200, "busy": 800,
// "slots_wanted": 900}: the three before the last of live nodes.
std::string listed_nodes_json(const wire::Reply::Nodes& nodes, const ListQuery& query);
// {"tasks": [...], "next": 500}: null if there are no more.
std::string listed_tasks_json(const wire::Reply::Job& job);
// A job with its tasks in parts, as there may be millions: up to the first of "task_list"; one, on a line of its own;
// and the rest, with "next_task", where a list goes on that is not whole.
std::string job_json_begin(const wire::Reply::Job& job);
std::string task_json_line(const wire::TaskDetail& task, bool is_first);
std::string job_json_end(std::uint32_t next_task);
// When the jobs had how many slots.
std::string use_json(const std::vector<wire::Reply::Job>& jobs);

}  // namespace ontime::cli
