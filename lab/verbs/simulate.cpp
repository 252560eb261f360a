#include <cctype>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/cluster/interrupt.h"
#include "cli/job_request.h"
#include "cli/text_file.h"
#include "common/base/wording.h"
#include "common/files/file_system.h"
#include "lab/results/grid.h"
#include "lab/results/rows.h"
#include "lab/results/writing.h"
#include "lab/scenario/scenario.h"
#include "lab/scenario/scenario_yaml.h"
#include "lab/simulator/ideal.h"
#include "lab/simulator/simulator.h"
#include "lab/study/simulated_job.h"
#include "lab/study/study.h"
#include "lab/verbs/command.h"
#include "lab/verbs/seen_job.h"

namespace ontime::lab {

using namespace cli;
namespace {

// A policy over all its runs.
struct PolicyRow {
  std::string policy;
  Summary summary;
  double utilisation = 0;
  std::uint64_t attempts = 0;
  std::uint64_t events = 0;     // simulated
  std::uint64_t not_begun = 0;  // jobs that had not come by the horizon

  template <class Row, class Visit>
  static void fields(Row& row, Visit&& visit) {
    const Summary& s = row.summary;
    visit_all(visit, "policy", row.policy, "jobs", s.jobs, "not_begun", row.not_begun);
    visit_all(visit, "unfinished", s.unfinished, "failed", s.failed);
    visit_all(visit, "pocd", s.pocd.value, "pocd_low", s.pocd.low, "pocd_high", s.pocd.high);
    visit("machine_seconds_per_job", s.machine_time.value);
    visit("machine_seconds_margin", s.machine_time.margin());
    visit_all(visit, "flow_seconds", s.flow_time.value, "flow_seconds_margin", s.flow_time.margin());
    visit_all(visit, "attempts", row.attempts, "simulated_events", row.events, "attempts_per_task", s.attempts);
    visit_all(visit, "wasted", s.duplicated, "utilisation", row.utilisation);
  }
};

// A job of one of the runs.
struct RunJob : SimulatedJob {
  std::string policy;
  std::uint32_t repetition = 0;
  std::uint64_t seed = 0;

  template <class Row, class Visit>
  static void fields(Row& row, Visit&& visit) {
    visit_all(visit, "policy", row.policy, "repetition", row.repetition);
    SimulatedJob::fields(row, visit);
    visit("seed", row.seed);
  }
};

struct Answer {
  std::optional<OfferedLoad> load;  // of the first run
  std::vector<PolicyRow> policies;
  std::vector<RunJob> jobs;  // if they are to be written
};

constexpr std::uint32_t kPagesMax = 20;  // of a policy
constexpr int kForecastsOfAJob = 100;

// Of a policy's name, what any file system takes.
std::string file_name_of(std::string name) {
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '+' && c != '=' && c != '.') c = '_';
  return name;
}

// Has the first jobs described as they end, with what was expected of them.
void watch(Observer& observer, std::map<std::uint32_t, SeenJob>& seen) {
  for (int share = 0; share < kForecastsOfAJob; ++share)
    observer.forecast_at.push_back(static_cast<double>(share) / kForecastsOfAJob);
  observer.ended = [&seen](JobId id, const scheduler::Scheduler& scheduler) {
    if (id.value > kPagesMax) return;
    const TimePoint end = scheduler.cluster().find_job(id)->ended_at;
    seen.emplace(id.value - 1, see_job(scheduler, id, end, {}, {}));
  };
}

Status write_pages(const std::string& directory, const std::string& policy, std::map<std::uint32_t, SeenJob>& seen,
                   const Outcome& outcome) {
  if (seen.empty()) return {};
  if (auto made = make_directory(directory); !made) return made;
  for (auto& [place, job] : seen) {
    if (place < outcome.jobs.size()) track_of(outcome.jobs[place]).append_to(job.job);
    const std::string name = file_name_of(policy) + "-" + to_string(JobId{place + 1}) + ".html";
    if (auto written = files::write_file(directory + "/" + name, page_of(job)); !written) return written;
  }
  return {};
}

Status simulate(const Scenario& scenario, const std::string& name, const SimulateCommand& command, std::FILE* log,
                Answer& answer) {
  PolicyRow row;
  row.policy = name;
  std::vector<JobOutcome> jobs;
  const std::uint64_t first_seed = command.seed.value_or(scenario.seed);
  const std::uint32_t runs = command.runs.value_or(scenario.repeat);
  std::map<std::uint32_t, SeenJob> seen;  // by place in the order of submission
  for (std::uint32_t number = 0; number < runs; ++number) {
    const std::uint64_t seed = first_seed + number;
    Observer observer;
    if (log != nullptr && number == 0) {
      observer.log = [log](std::string_view line) {
        std::fprintf(log, "%.*s\n", static_cast<int>(line.size()), line.data());
      };
    }
    if (!command.report.empty() && number == 0) watch(observer, seen);
    const Outcome outcome = lab::run(scenario, seed, observer);
    if (Status written = write_pages(command.report, name, seen, outcome); !written) return written;
    seen.clear();
    if (!outcome.broken.empty()) return failed("seed " + std::to_string(seed) + ": " + outcome.broken[0]);
    jobs.insert(jobs.end(), outcome.jobs.begin(), outcome.jobs.end());
    if (!command.out.empty()) {
      for (SimulatedJob& job : job_rows_of(scenario, outcome.jobs))
        answer.jobs.push_back({std::move(job), name, number + 1, seed});
    }
    row.utilisation += outcome.utilisation() / runs;
    row.attempts += outcome.attempts;
    row.events += outcome.events;
    row.not_begun += plan_jobs(scenario, seed).size() - outcome.jobs.size();
  }
  row.summary = summarise(jobs);
  answer.policies.push_back(std::move(row));
  return {};
}

Grid grid_of(const std::vector<PolicyRow>& rows) {
  Grid grid{
      {"policy", "jobs", "PoCD", "95 %", "machine s/job", "+-", "flow s", "attempts/task", "wasted", "busy"}, 1, {}};
  for (const PolicyRow& row : rows) {
    const Summary& s = row.summary;
    grid.lines.push_back({row.policy, std::to_string(s.jobs), fixed(s.pocd.value, 4), interval(s.pocd, 4),
                          fixed(s.machine_time.value, 2), fixed(s.machine_time.margin(), 2),
                          fixed(s.flow_time.value, 2), fixed(s.attempts, 3), percent(s.duplicated, 1),
                          percent(row.utilisation, 1)});
  }
  return grid;
}

std::string answer_json(const Answer& answer) {
  nlohmann::ordered_json whole{{"policies", json_list(answer.policies)}};
  if (answer.load) {
    whole["load"] = {{"by_attempts", answer.load->by_attempts}, {"at_mean_speed", answer.load->at_mean_speed}};
  }
  return json_text(whole);
}

std::string answer_text(const Answer& answer) {
  std::string grid = terminal_text(grid_of(answer.policies));
  if (!answer.load) return grid;
  return grid + "Load " + fixed(answer.load->by_attempts, 2) + " by whole attempts, " +
         fixed(answer.load->at_mean_speed, 2) + " at the mean speed of fresh ones.\n";
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

Status write_results(const std::string& directory, const Answer& answer) {
  if (auto made = make_directory(directory); !made) return made;
  const std::string jobs = csv_of(answer.jobs, Digits::Millionths);
  if (auto written = files::write_file(directory + "/jobs.csv", jobs); !written) return written;
  return files::write_file(directory + "/summary.json", answer_json(answer));
}

void tell(const PolicyRow& row, std::uint64_t jobs, const char* what) {
  if (jobs > 0) std::fprintf(stderr, "%s: %s %s\n", row.policy.c_str(), counted(jobs, "job").c_str(), what);
}

Status simulate_scenario(const SimulateCommand& command, const std::string& path, const std::string& text) {
  auto scenario = read_scenario(text, beside(path));
  if (!scenario) return bad_input("scenario " + path + ": " + scenario.error().message);
  std::error_code ignored;
  if (std::filesystem::exists(command.out, ignored)) {
    if (Status is_new = check_is_new("--output", command.out + "/jobs.csv"); !is_new) return is_new;
  }
  std::unique_ptr<std::FILE, CloseFile> log;
  if (!command.event_log.empty()) {
    log.reset(std::fopen(command.event_log.c_str(), "w"));
    if (!log) return failed("cannot write the event log " + command.event_log);
  }
  Answer answer;
  const std::uint64_t first_seed = command.seed.value_or(scenario->seed);
  answer.load = offered_load(draw(*scenario, first_seed), first_seed);
  const auto add = [&](const std::string& name) {
    return simulate(*scenario, name, command, answer.policies.empty() ? log.get() : nullptr, answer);
  };
  std::vector<NamedPolicy> policies = scenario->policies;
  if (!command.policies.empty()) policies.clear();
  for (const std::string& policy : command.policies) {
    const auto read = read_policy(policy);
    const auto choice = read && (read->name == kBound || read->name == kIdeal) ? read : read_policy_flag(policy);
    if (!choice) return choice.error();
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
  if (!command.is_silent) std::fputs((command.json ? answer_json(answer) : answer_text(answer)).c_str(), stdout);
  for (const PolicyRow& row : answer.policies) {
    tell(row, row.not_begun, "had not come by the horizon: left out");
    tell(row, row.summary.unfinished, "had not ended at the horizon");
    tell(row, row.summary.failed, "failed: not in the mean time");
  }
  return command.out.empty() ? Status() : write_results(command.out, answer);
}

// What each scenario writes anew.
Status check_places(const SimulateCommand& command) {
  const std::string flag = !command.event_log.empty() ? "--event-log" : !command.report.empty() ? "--report" : "";
  if (!flag.empty() && command.scenarios.size() > 1)
    return bad_input(flag + " is for one scenario, and " + std::to_string(command.scenarios.size()) +
                     " are given; simulate them one by one");
  std::error_code ignored;
  const bool is_full =
      std::filesystem::exists(command.report, ignored) && !std::filesystem::is_empty(command.report, ignored);
  if (!command.report.empty() && is_full)
    return bad_input("--report: the directory '" + command.report + "' is not empty; choose another name, or empty it");
  return check_is_new("--event-log", command.event_log);
}

}  // namespace

Result<ExitCode> execute(const SimulateCommand& command) {
  if (Status free = check_places(command); !free) return free.error();
  for (const std::string& path : command.scenarios) {
    const auto text = read_text_file(path);
    if (!text) return text.error();
    Result<ExitCode> done = ExitCode::Done;
    if (has_study(*text))
      done = simulate_study(command, path, *text);
    else if (auto simulated = simulate_scenario(command, path, *text); !simulated)
      done = simulated.error();
    if (interrupts() > 0) return ExitCode::Interrupted;
    if (!done || *done != ExitCode::Done) return done;
  }
  return ExitCode::Done;
}

}  // namespace ontime::lab
