#include "cli/show/listing.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cli/show/job_json.h"
#include "cli/show/job_text.h"
#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/base/wording.h"
#include "common/protocol/job_state.h"

namespace ontime::cli {
namespace {

using Json = nlohmann::ordered_json;
using SortKey = std::variant<double, std::string>;
constexpr double kUnknown = std::numeric_limits<double>::infinity();  // comes last in either order

const std::vector<std::string> kColumnsOfJobs = {"job",   "name",     "owner", "application", "policy",
                                                 "state", "mapped",   "tasks", "attempts",    "failures",
                                                 "time",  "deadline", "pocd"};
const std::vector<std::string> kColumnsOfNodes = {"node", "name",   "host",  "state",    "slots",
                                                  "cpu",  "memory", "speed", "failures", "heard"};
const std::vector<std::string> kStatesOfNodes = {"here",     "held",    "live", "silent",
                                                 "draining", "drained", "left", "lost"};
const std::vector<std::string> kStatesOfTasks = {"waiting", "running", "done", "unfinished"};
const std::vector<std::string> kOrders = {"ascending", "descending"};

std::vector<std::string> states_of_jobs() {
  std::vector<std::string> states = protocol::names_of_job_states();
  states.emplace_back("open");
  states.emplace_back("late");
  return states;
}

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

Result<std::uint32_t> read_number(const Parameters& parameters, const char* name, std::uint32_t otherwise,
                                  std::uint32_t most) {
  const auto text = parameters(name);
  if (!text) return otherwise;
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || end != text->data() + text->size() || value > most)
    return bad_input(std::string(name) + " is a number up to " + std::to_string(most));
  return value;
}

// Empty if it was not given.
Result<std::string> read_one_of(const Parameters& parameters, const char* name, const std::vector<std::string>& known) {
  std::string value = parameters(name).value_or("");
  if (value.empty() || std::ranges::find(known, value) != known.end()) return value;
  return bad_input(std::string(name) + " is one of " + listed(known));
}

SortKey key_of(const wire::JobSummary& job, const std::string& column) {
  const auto share = [](double part, double whole) { return whole > 0 ? part / whole : 0; };
  if (column == "name") return lower(job.settings().name().empty() ? job.application() : job.settings().name());
  if (column == "owner") return lower(job.owner());
  if (column == "application") return lower(job.application());
  if (column == "policy") return lower(job.settings().policy());
  if (column == "state") return protocol::name_of(job.state());
  if (column == "mapped") return share(static_cast<double>(job.mapped_bytes()), static_cast<double>(job.input_bytes()));
  if (column == "tasks") return double(job.tasks());
  if (column == "attempts") return double(job.attempts_launched());
  if (column == "failures") return double(job.attempts_failed());
  if (column == "time") return double(job.elapsed_ns());
  // The time that is left, or is over.
  const std::int64_t deadline = job.settings().deadline();
  if (column == "deadline") return deadline > 0 ? double(deadline - job.elapsed_ns()) : kUnknown;
  if (column == "pocd") return job.has_forecast() && job.forecast().has_pocd() ? job.forecast().pocd() : kUnknown;
  return double(job.job());
}

SortKey key_of(const wire::NodeSummary& node, const std::string& column) {
  if (column == "name") return lower(node.name());
  if (column == "host") return lower(node.host());
  if (column == "state") return node.state();
  if (column == "slots") return double(node.slots());
  const wire::MachineUse& use = node.machine();
  if (column == "cpu") return node.has_machine() ? use.busy_cores() / use.cores() : kUnknown;
  if (column == "memory")
    return node.has_machine() ? double(use.used_bytes()) / double(std::max<std::uint64_t>(1, use.memory_bytes()))
                              : kUnknown;
  if (column == "speed") return node.speed();
  if (column == "failures") return double(node.attempts_failed());
  if (column == "heard") return double(node.silent_ns());
  return double(node.node());
}

bool matches(const wire::JobSummary& job, const ListQuery& query) {
  const bool is_asked =
      query.state.empty() || (query.state == "late"   ? is_late(job)
                              : query.state == "open" ? !protocol::has_ended(job)
                                                      : query.state == protocol::name_of(job.state()));
  if (!is_asked) return false;
  const std::string text = to_string(JobId{job.job()}) + '\n' + job.settings().name() + '\n' + job.owner() + '\n' +
                           job.application() + '\n' + settings_text(job) + '\n' + job.settings().policy() + '\n' +
                           job.output();
  return lower(text).find(query.search) != std::string::npos;
}

bool matches(const wire::NodeSummary& node, const ListQuery& query) {
  const bool is_gone = node.state() == "lost" || node.state() == "left";
  if (query.state == "held" && !node.has_hold()) return false;
  if (query.state == "here" && is_gone) return false;
  if (!query.state.empty() && query.state != "held" && query.state != "here" && query.state != node.state())
    return false;
  return lower(node.name() + '\n' + node.host()).find(query.search) != std::string::npos;
}

// As they are listed if no column is named.
SortKey usual_key(const wire::JobSummary& job) { return -double(job.job()) - (protocol::has_ended(job) ? 0 : 1e10); }
SortKey usual_key(const wire::NodeSummary& node) {
  return double(node.node()) + (node.state() == "lost" || node.state() == "left" ? 1e10 : 0);
}

template <class Items>
auto select(const Items& items, const ListQuery& query) {
  using Item = typename Items::value_type;
  std::vector<std::pair<SortKey, const Item*>> chosen;
  for (const Item& item : items) {
    if (!matches(item, query)) continue;
    chosen.emplace_back(query.sort.empty() ? usual_key(item) : key_of(item, query.sort), &item);
  }
  const auto by_key = [](const auto& entry) -> const SortKey& { return entry.first; };
  const auto unknown = std::ranges::stable_partition(
      chosen, [](const SortKey& key) { return key != SortKey(kUnknown); }, by_key);
  const std::ranges::subrange known(chosen.begin(), unknown.begin());
  if (query.descending)
    std::ranges::stable_sort(known, std::greater(), by_key);
  else
    std::ranges::stable_sort(known, std::less(), by_key);
  return chosen;
}

template <class Chosen, class ValueOf>
Json page_of(const Chosen& chosen, const ListQuery& query, ValueOf value_of) {
  Json list = Json::array();
  for (std::size_t i = query.first; i < chosen.size() && i - query.first < query.max; ++i)
    list.push_back(value_of(*chosen[i].second));
  return list;
}

}  // namespace

Result<ListQuery> read_list_query(const Parameters& parameters, Listed listed) {
  const bool of_jobs = listed == Listed::Jobs;
  const auto state = read_one_of(parameters, "state", of_jobs ? states_of_jobs() : kStatesOfNodes);
  const auto sort = read_one_of(parameters, "sort", of_jobs ? kColumnsOfJobs : kColumnsOfNodes);
  const auto order = read_one_of(parameters, "order", kOrders);
  for (const auto* read : {&state, &sort, &order})
    if (!*read) return read->error();
  ListQuery query;
  query.search = lower(parameters("search").value_or(""));
  query.state = *state;
  query.sort = *sort;
  query.descending = *order == "descending";
  const auto first = read_number(parameters, "first", 0, 1'000'000'000);
  if (!first) return first.error();
  const auto max = read_number(parameters, "max", kListedMax, kListedMax);
  if (!max) return max.error();
  query.first = *first;
  query.max = *max;
  return query;
}

Result<MasterClient::TaskQuery> read_task_query(const Parameters& parameters) {
  const auto first = read_number(parameters, "first", 0, 1'000'000'000);
  if (!first) return first.error();
  const auto max = read_number(parameters, "max", 100, kListedMax);
  if (!max) return max.error();
  const auto state = read_one_of(parameters, "state", kStatesOfTasks);
  if (!state) return state.error();
  return MasterClient::TaskQuery{*first, std::max(*max, 1u), *state};
}

Result<wire::Request::ReadLogs> read_log_query(const Parameters& parameters) {
  constexpr std::uint32_t kMost = 1'000'000'000;
  wire::Request::ReadLogs wanted;
  const auto task = read_number(parameters, "task", 0, kMost);
  if (!task) return task.error();
  if (parameters("task")) wanted.set_task(*task);
  const auto attempt = read_number(parameters, "attempt", 0, kMost);
  if (!attempt) return attempt.error();
  if (parameters("attempt")) wanted.set_attempt(*attempt);
  return wanted;
}

std::string listed_jobs_json(const wire::Reply::Jobs& jobs, const ListQuery& query) {
  const auto chosen = select(jobs.jobs(), query);
  const auto running = std::ranges::count_if(jobs.jobs(), [](const auto& job) { return !protocol::has_ended(job); });
  return text_of({{"jobs", page_of(chosen, query, listed_job_value)},
                  {"matching", chosen.size()},
                  {"all", jobs.jobs_size()},
                  {"running", running}},
                 Layout::Compact);
}

std::string listed_nodes_json(const wire::Reply::Nodes& nodes, const ListQuery& query) {
  const auto chosen = select(nodes.nodes(), query);
  std::uint64_t live = 0;
  std::uint64_t held_back = 0;
  std::uint64_t slots = 0;
  std::uint64_t busy = 0;
  for (const wire::NodeSummary& node : nodes.nodes()) {
    if (node.state() != "live") continue;
    ++live;
    held_back += node.has_hold() ? 1 : 0;
    slots += node.slots();
    busy += node.busy();
  }
  return text_of({{"nodes", page_of(chosen, query, node_value)},
                  {"matching", chosen.size()},
                  {"all", nodes.nodes_size()},
                  {"live", live},
                  {"held_back", held_back},
                  {"slots", slots},
                  {"busy", busy},
                  {"slots_wanted", nodes.slots_wanted()}},
                 Layout::Compact);
}

std::string listed_tasks_json(const wire::Reply::Job& job) {
  Json list = Json::array();
  for (const wire::TaskDetail& task : job.tasks()) list.push_back(task_value(task));
  const Json next = job.next_task() == 0 ? Json(nullptr) : Json(job.next_task());
  return text_of({{"tasks", std::move(list)}, {"next", next}}, Layout::Compact);
}

std::string job_json_begin(const wire::Reply::Job& job) {
  std::string text = job_json(job, false);
  text.resize(text.rfind("\n}"));
  return text + ",\n  \"task_list\": [";
}

std::string task_json_line(const wire::TaskDetail& task, bool is_first) {
  std::string line = text_of(task_value(task), Layout::Compact);
  line.pop_back();  // its end
  return (is_first ? "\n    " : ",\n    ") + line;
}

std::string job_json_end(std::uint32_t next_task) {
  return "\n  ],\n  \"next_task\": " + (next_task == 0 ? "null" : std::to_string(next_task)) + "\n}\n";
}

std::string use_json(const std::vector<wire::Reply::Job>& jobs) {
  Json list = Json::array();
  for (const wire::Reply::Job& job : jobs) {
    const wire::Overview& overview = job.overview();
    const wire::JobSummary& summary = job.summary();
    list.push_back(
        {{"job", to_string(JobId{summary.job()})},
         {"name", summary.settings().name().empty() ? summary.application() : summary.settings().name()},
         {"state", protocol::name_of(summary.state())},
         {"submitted_unix_ns", summary.submitted_unix_ns()},
         {"made_seconds", seconds(Duration(overview.made_ns()))},
         {"step_seconds", seconds(Duration(overview.step_ns()))},
         {"running_thousandths", std::vector<std::uint32_t>(overview.running().begin(), overview.running().end())}});
  }
  return text_of({{"jobs", std::move(list)}}, Layout::Compact);
}

}  // namespace ontime::cli
