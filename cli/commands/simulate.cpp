#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands/execute.h"
#include "cli/show/table.h"
#include "simulator/scenario_yaml.h"
#include "simulator/simulator.h"

namespace ontime::cli {
namespace {

using Json = nlohmann::ordered_json;

// One line of the answer: a policy over all its runs.
struct Row {
  std::string policy;
  simulator::Summary summary;
  double utilisation = 0;
  std::uint64_t attempts = 0;
  std::uint64_t events = 0;  // simulated
};

Result<std::string> read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) return bad_input("the file '" + path + "' cannot be read");
  return text.str();
}

Result<simulator::Scenario> read_file(const std::string& path) {
  const auto text = read_text(path);
  if (!text) return text.error();
  const auto beside = std::filesystem::path(path).parent_path();
  auto scenario =
      simulator::read_scenario(*text, [&](const std::string& name) { return read_text((beside / name).string()); });
  if (!scenario) return bad_input("scenario " + path + ": " + scenario.error().message);
  return scenario;
}

// "shed+:theta=1s,lambda=0.2" for all jobs of the scenario.
Status choose_policy(simulator::Scenario& scenario, const std::string& chosen) {
  const auto colon = chosen.find(':');
  scheduler::StringMap parameters;
  std::istringstream list(colon == std::string::npos ? "" : chosen.substr(colon + 1));
  for (std::string item; std::getline(list, item, ',');) {
    const auto equals = item.find('=');
    if (equals == 0 || equals == std::string::npos)
      return bad_input("--policy " + chosen + ": write NAME:KEY=VALUE,...");
    parameters[item.substr(0, equals)] = item.substr(equals + 1);
  }
  for (simulator::JobGroup& group : scenario.jobs) {
    group.policy = chosen.substr(0, colon);
    group.policy_parameters = parameters;
  }
  return simulator::check(scenario);
}

Result<Row> simulate(const simulator::Scenario& scenario, const std::string& name, const SimulateCommand& command,
                     std::FILE* log) {
  Row row;
  row.policy = name;
  std::vector<simulator::JobOutcome> jobs;
  for (std::uint32_t run = 0; run < command.runs; ++run) {
    simulator::Observer observer;
    if (log != nullptr && run == 0) {
      observer.log = [log](std::string_view line) {
        std::fprintf(log, "%.*s\n", static_cast<int>(line.size()), line.data());
      };
    }
    const simulator::Outcome outcome = simulator::run(scenario, command.seed + run, observer);
    if (!outcome.broken.empty()) return failed("seed " + std::to_string(command.seed + run) + ": " + outcome.broken[0]);
    jobs.insert(jobs.end(), outcome.jobs.begin(), outcome.jobs.end());
    row.utilisation += outcome.utilisation() / command.runs;
    row.attempts += outcome.attempts;
    row.events += outcome.events;
  }
  row.summary = simulator::summarise(jobs);
  return row;
}

std::string number(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string table_of(const std::vector<Row>& rows) {
  Table table({{"policy"},
               {"jobs", Align::Right},
               {"PoCD", Align::Right},
               {"95 %", Align::Right},
               {"machine s/job", Align::Right},
               {"+-", Align::Right},
               {"flow s", Align::Right},
               {"attempts/task", Align::Right},
               {"mapped in vain", Align::Right},
               {"busy", Align::Right}});
  for (const Row& row : rows) {
    const simulator::Summary& s = row.summary;
    table.add_row({row.policy, std::to_string(s.jobs), number("%.4f", s.pocd.value),
                   number("%.4f", s.pocd.low) + " to " + number("%.4f", s.pocd.high),
                   number("%.2f", s.machine_time.value), number("%.2f", s.machine_time.margin),
                   number("%.2f", s.flow_time.value), number("%.3f", s.attempts), number("%.1f %%", 100 * s.duplicated),
                   number("%.1f %%", 100 * row.utilisation)});
  }
  return table.to_string();
}

Json json_of(const std::vector<Row>& rows) {
  Json list = Json::array();
  for (const Row& row : rows) {
    const simulator::Summary& s = row.summary;
    list.push_back({{"policy", row.policy},
                    {"jobs", s.jobs},
                    {"unfinished", s.unfinished},
                    {"pocd", s.pocd.value},
                    {"pocd_low", s.pocd.low},
                    {"pocd_high", s.pocd.high},
                    {"machine_seconds_per_job", s.machine_time.value},
                    {"machine_seconds_margin", s.machine_time.margin},
                    {"flow_seconds", s.flow_time.value},
                    {"flow_seconds_margin", s.flow_time.margin},
                    {"attempts", row.attempts},
                    {"simulated_events", row.events},
                    {"attempts_per_task", s.attempts},
                    {"mapped_in_vain", s.duplicated},
                    {"utilisation", row.utilisation}});
  }
  return {{"policies", list}};
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

Result<ExitCode> execute(const SimulateCommand& command) {
  auto scenario = read_file(command.scenario);
  if (!scenario) return scenario.error();
  std::unique_ptr<std::FILE, CloseFile> log;
  if (!command.event_log.empty()) {
    log.reset(std::fopen(command.event_log.c_str(), "w"));
    if (!log) return failed("cannot write the event log " + command.event_log);
  }
  std::vector<Row> rows;
  const auto add = [&](const std::string& name) -> Status {
    auto row = simulate(*scenario, name, command, rows.empty() ? log.get() : nullptr);
    if (!row) return row.error();
    rows.push_back(std::move(*row));
    return {};
  };
  if (command.policies.empty()) {
    if (auto added = add("as given"); !added) return added.error();
  }
  for (const std::string& policy : command.policies) {
    if (auto chosen = choose_policy(*scenario, policy); !chosen) return chosen.error();
    if (auto added = add(policy); !added) return added.error();
  }
  const std::string text = command.json ? json_of(rows).dump(2) + "\n" : table_of(rows);
  std::fputs(text.c_str(), stdout);
  for (const Row& row : rows) {
    if (row.summary.unfinished == 0) continue;
    std::fprintf(stderr, "%s: %llu jobs had not ended at the horizon\n", row.policy.c_str(),
                 static_cast<unsigned long long>(row.summary.unfinished));
  }
  return ExitCode::Done;
}

}  // namespace ontime::cli
