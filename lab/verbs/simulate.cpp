#include <array>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/cluster/interrupt.h"
#include "cli/show/table.h"
#include "cli/text_file.h"
#include "lab/results/page.h"
#include "lab/results/writing.h"
#include "lab/scenario/scenario.h"
#include "lab/scenario/scenario_yaml.h"
#include "lab/simulator/simulator.h"
#include "lab/study/study.h"
#include "lab/verbs/command.h"
#include "lab/verbs/study_files.h"

namespace ontime::lab {

using namespace cli;
namespace {

using Json = nlohmann::ordered_json;

// One line of the answer: a policy over all its runs.
struct Row {
  std::string policy;
  Summary summary;
  double utilisation = 0;
  std::uint64_t attempts = 0;
  std::uint64_t events = 0;  // simulated
  std::string jobs_csv;      // a line per job, if it is to be written
};

constexpr const char* kJobsTitles =
    "policy,seed,job,group,tasks,submitted,ended,flow_time,deadline,met,machine_time,attempts,copies,mapped_bytes\n";

void add_jobs(std::string& text, const std::string& policy, std::uint64_t seed, const Scenario& scenario,
              const std::vector<JobOutcome>& jobs) {
  std::array<char, 256> line{};
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const JobOutcome& job = jobs[i];
    text += "\"" + policy + "\"," + std::to_string(seed) + "," + std::to_string(i) + ",\"" +
            scenario.jobs[job.group].name + "\"";
    std::snprintf(line.data(), line.size(), ",%u,%.3f,%.3f,%.3f,%.3f,%d,%.3f,%u,%u,%.0f\n", job.tasks, job.submitted,
                  job.ended, job.has_ended() ? job.flow_time() : 0, job.deadline, job.met() ? 1 : 0, job.machine_time,
                  job.attempts, job.copies, job.mapped_bytes);
    text += line.data();
  }
}

Result<Row> simulate(const Scenario& scenario, const std::string& name, const SimulateCommand& command,
                     std::FILE* log) {
  Row row;
  row.policy = name;
  std::vector<JobOutcome> jobs;
  const std::uint64_t first_seed = command.seed.value_or(scenario.seed);
  const std::uint32_t runs = command.runs.value_or(scenario.repeat);
  for (std::uint32_t number = 0; number < runs; ++number) {
    const std::uint64_t seed = first_seed + number;
    Observer observer;
    if (log != nullptr && number == 0) {
      observer.log = [log](std::string_view line) {
        std::fprintf(log, "%.*s\n", static_cast<int>(line.size()), line.data());
      };
    }
    const Outcome outcome = lab::run(scenario, seed, observer);
    if (!outcome.broken.empty()) return failed("seed " + std::to_string(seed) + ": " + outcome.broken[0]);
    jobs.insert(jobs.end(), outcome.jobs.begin(), outcome.jobs.end());
    if (!command.out.empty()) add_jobs(row.jobs_csv, name, seed, scenario, outcome.jobs);
    row.utilisation += outcome.utilisation() / runs;
    row.attempts += outcome.attempts;
    row.events += outcome.events;
  }
  row.summary = summarise(jobs);
  return row;
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
               {"wasted", Align::Right},
               {"busy", Align::Right}});
  for (const Row& row : rows) {
    const Summary& s = row.summary;
    table.add_row({row.policy, std::to_string(s.jobs), fixed(s.pocd.value, 4),
                   fixed(s.pocd.low, 4) + " to " + fixed(s.pocd.high, 4), fixed(s.machine_time.value, 2),
                   fixed(s.machine_time.margin, 2), fixed(s.flow_time.value, 2), fixed(s.attempts, 3),
                   fixed(100 * s.duplicated, 1) + " %", fixed(100 * row.utilisation, 1) + " %"});
  }
  return table.to_string();
}

Json json_of(const std::vector<Row>& rows) {
  Json list = Json::array();
  for (const Row& row : rows) {
    const Summary& s = row.summary;
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
                    {"wasted", s.duplicated},
                    {"utilisation", row.utilisation}});
  }
  return {{"policies", list}};
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

Status write_results(const std::string& directory, const std::vector<Row>& rows) {
  if (auto made = make_directory(directory); !made) return made;
  std::string jobs = kJobsTitles;
  for (const Row& row : rows) jobs += row.jobs_csv;
  if (auto written = write_text_file(directory + "/jobs.csv", jobs); !written) return written;
  return write_text_file(directory + "/summary.json", json_of(rows).dump(2) + "\n");
}

Status simulate_scenario(const SimulateCommand& command, const std::string& path, const std::string& text) {
  auto scenario = read_scenario(text, beside(path));
  if (!scenario) return bad_input("scenario " + path + ": " + scenario.error().message);
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
  std::vector<NamedPolicy> policies = scenario->policies;
  if (!command.policies.empty()) policies.clear();
  for (const std::string& policy : command.policies) {
    if (const auto choice = read_policy_flag(policy); !choice) return choice.error();
    policies.push_back({policy, policy});
  }
  if (policies.empty()) {
    if (auto added = add("as given"); !added) return added;
  }
  for (const NamedPolicy& policy : policies) {
    const auto choice = read_policy(policy.text);
    if (!choice) return choice.error();
    if (auto chosen = choose_policy(*scenario, *choice); !chosen) return chosen;
    if (auto added = add(policy.name); !added) return added;
  }
  const std::string answer = command.json ? json_of(rows).dump(2) + "\n" : table_of(rows);
  std::fputs(answer.c_str(), stdout);
  for (const Row& row : rows) {
    if (row.summary.unfinished == 0) continue;
    std::fprintf(stderr, "%s: %llu jobs had not ended at the horizon\n", row.policy.c_str(),
                 static_cast<unsigned long long>(row.summary.unfinished));
  }
  return command.out.empty() ? Status() : write_results(command.out, rows);
}

Status simulate_study(const SimulateCommand& command, const std::string& path, const std::string& text) {
  const auto study = read_study(text, beside(path));
  if (!study) return bad_input("study " + path + ": " + study.error().message);
  install_interrupt_handlers();
  const auto result = run_study(*study, {command.runs.value_or(0), command.only}, parallel_runs(command.threads, path));
  if (!result) return Error{result.error().kind, "study " + path + ": " + result.error().message};
  const std::string answer = study->title + "\n\n" + tables_of(*study, *result) + "\n";
  std::fputs(command.json ? csv_of(*result).c_str() : answer.c_str(), stdout);
  std::fflush(stdout);
  if (command.out.empty()) return {};
  const auto drawn = write_study(command.out, path, *study, *result);
  if (!drawn) return drawn.error();
  if (!*drawn) {
    std::fprintf(stderr, "%s: no figure was drawn, because gnuplot is not installed (Debian: gnuplot-nox)\n",
                 path.c_str());
  }
  return write_index(command.out);
}

}  // namespace

Result<ExitCode> execute(const SimulateCommand& command) {
  for (const std::string& path : command.scenarios) {
    const auto text = read_text_file(path);
    if (!text) return text.error();
    const bool is_study = has_study(*text);
    const auto done = is_study ? simulate_study(command, path, *text) : simulate_scenario(command, path, *text);
    if (!done && interrupts() > 0) return ExitCode::Interrupted;
    if (!done) return done.error();
  }
  return ExitCode::Done;
}

}  // namespace ontime::lab
