// jobs, explain, nodes, kill, drain: one question to a master each.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "cli/client/follow.h"
#include "cli/client/selector.h"
#include "cli/cluster/interrupt.h"
#include "cli/commands/execute.h"
#include "cli/show/job_json.h"
#include "cli/show/job_text.h"
#include "common/net/token.h"
#include "common/protocol/job_state.h"

namespace ontime::cli {
namespace {

constexpr std::uint16_t kDefaultPort = 7400;
constexpr auto kWatchStep = std::chrono::milliseconds(100);
constexpr std::uint32_t kJobsShown = 100;  // in a table, unless more are asked for

void print(const std::string& text) { std::fputs(text.c_str(), stdout); }

}  // namespace

Result<MasterClient::Options> client_options(const MasterOptions& options) {
  auto masters = net::parse_masters(options.address, kDefaultPort);
  if (!masters) return bad_input("--master: " + masters.error().message);
  auto token = net::read_own_token(options.token_file);
  if (!token) return token.error();
  auto tls = net::load_tls(options.tls);
  if (!tls) return tls.error();
  MasterClient::Options made;
  made.masters = std::move(*masters);
  made.token = std::move(*token);
  made.tls = std::move(*tls);
  return made;
}

namespace {

void keep_newest_of(const JobsCommand& command, std::uint32_t latest, wire::Reply::Jobs& jobs) {
  auto& all = *jobs.mutable_jobs();  // the newest last
  const auto is_other = [&](const wire::JobSummary& job) {
    return (!command.states.empty() && std::ranges::count(command.states, protocol::name_of(job.state())) == 0) ||
           (command.late && !is_late(job));
  };
  all.erase(std::remove_if(all.begin(), all.end(), is_other), all.end());
  const auto older = latest == 0 ? 0 : std::max<std::int64_t>(0, std::int64_t{all.size()} - latest);
  all.DeleteSubrange(0, static_cast<int>(older));
  jobs.set_older(static_cast<std::uint32_t>(older));
}

Result<std::string> list_of_jobs(MasterClient& client, const JobsCommand& command) {
  const bool is_filtered = !command.states.empty() || command.late;  // then the newest are not known until all are here
  const std::uint32_t latest = command.latest.value_or(command.json || is_filtered ? 0 : kJobsShown);
  auto jobs = client.list_jobs({.accounts = command.accounts, .latest = is_filtered ? 0 : latest});
  if (!jobs) return jobs.error();
  if (command.accounts) return command.json ? jobs_json(*jobs) : accounts_table(*jobs, look_of(STDOUT_FILENO));
  if (const Status added = add_forecasts(client, *jobs); !added) return added.error();
  if (is_filtered) keep_newest_of(command, latest, *jobs);
  return command.json ? jobs_json(*jobs) : jobs_table(*jobs, look_of(STDOUT_FILENO));
}

}  // namespace

Result<ExitCode> execute(const JobsCommand& command) {
  auto options = client_options(command.master);
  if (!options) return options.error();
  if (command.watch) install_interrupt_handlers();
  MasterClient client(std::move(*options));
  for (bool is_first = true;; is_first = false) {
    const auto ask = [&] { return list_of_jobs(client, command); };
    const auto list = is_first ? ask() : ask_patiently(ask);
    if (interrupts() > 0) return ExitCode::Interrupted;
    if (!list) return list.error();
    if (command.watch && isatty(STDOUT_FILENO) != 0) print("\033[H\033[2J");
    print(*list);
    if (!command.watch) return ExitCode::Done;
    std::fflush(stdout);
    for (int tenth = 0; tenth < 10 && interrupts() == 0; ++tenth) std::this_thread::sleep_for(kWatchStep);
    if (interrupts() > 0) return ExitCode::Interrupted;
  }
}

Result<ExitCode> execute(const ExplainCommand& command) {
  auto options = client_options(command.master);
  if (!options) return options.error();
  MasterClient client(std::move(*options));
  const auto id = find_job(client, command.job);
  if (!id) return id.error();
  wire::Request::Explain request;
  request.set_job(id->value);
  if (command.task) request.set_task(*command.task);
  if (!command.all) request.set_tasks_max(kTasksExplained);
  const auto explained = client.explain(std::move(request));
  if (!explained) return explained.error();
  const bool whole = command.all || command.task.has_value();
  print(command.json ? explained_json(*explained) : explained_text(*explained, whole));
  return ExitCode::Done;
}

Result<ExitCode> execute(const NodesCommand& command) {
  auto options = client_options(command.master);
  if (!options) return options.error();
  MasterClient client(std::move(*options));
  const auto nodes = client.list_nodes();
  if (!nodes) return nodes.error();
  print(command.json ? nodes_json(*nodes) : nodes_table(*nodes, look_of(STDOUT_FILENO)));
  return ExitCode::Done;
}

Result<ExitCode> execute(const KillCommand& command) {
  auto options = client_options(command.master);
  if (!options) return options.error();
  MasterClient client(std::move(*options));
  const auto jobs = find_jobs(client, command.jobs);
  if (!jobs) return jobs.error();
  std::vector<std::pair<JobId, wire::JobState>> answers;
  std::optional<Error> refused;  // one that could not be ended keeps no other from it
  for (const JobId job : *jobs) {
    const auto state = client.kill(job);
    if (state) {
      answers.emplace_back(job, *state);
    } else if (refused) {
      refused->message += " " + state.error().message;
    } else {
      refused = state.error();
    }
    if (refused && refused->kind == ErrorKind::Unavailable) break;  // nor would it answer for the others
  }
  if (command.json) print(killed_json(answers));
  if (!command.json && jobs->empty()) print("none of these jobs runs\n");
  for (const auto& [job, state] : answers) {
    if (command.json) break;
    const bool is_too_late = state == wire::SUCCEEDED || state == wire::FAILED;
    print(to_string(job) + (is_too_late ? " has already " : " ") + protocol::name_of(state) + "\n");
  }
  if (refused) return *refused;
  return ExitCode::Done;
}

namespace {

// Asks what the node does, not for its drain again, which would undo what another operator wants meanwhile.
Result<wire::NodeSummary> wait_until_idle(MasterClient& client, wire::NodeSummary node) {
  while (node.busy() > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const auto nodes = ask_patiently([&] { return client.list_nodes(); });
    if (!nodes) return nodes.error();
    const auto same =
        std::ranges::find_if(nodes->nodes(), [&](const auto& other) { return other.node() == node.node(); });
    if (same == nodes->nodes().end()) break;  // lost, and forgotten
    node = *same;
    if (node.state() == "live")
      return failed(to_string(NodeId{node.node()}) + " gets work again: its drain was undone");
  }
  return node;
}

}  // namespace

Result<ExitCode> execute(const DrainCommand& command) {
  auto options = client_options(command.master);
  if (!options) return options.error();
  MasterClient client(std::move(*options));
  auto node = client.drain(command.node, command.undo);
  if (node && command.wait) node = wait_until_idle(client, *node);
  if (!node) return node.error();
  print(command.json ? node_json(*node) : drain_text(*node, command.undo));
  return ExitCode::Done;
}

}  // namespace ontime::cli
