#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "cli/cluster/interrupt.h"
#include "cli/commands/execute.h"
#include "cli/text_file.h"
#include "common/app/loaded_application.h"
#include "common/files/temporary_directory.h"
#include "lab/experiment/backend.h"
#include "lab/experiment/plan.h"
#include "lab/experiment/result_directory.h"
#include "lab/verbs/command.h"
#include "lab/verbs/parallel_runs.h"
#include "lab/verbs/python.h"

namespace ontime::lab {

using namespace cli;
using namespace experiment;
namespace fs = std::filesystem;
namespace {

// How far an experiment is: besides the line on a terminal one for each run that is done.
class ProgressOfRuns {
 public:
  // `done` of `runs` were there already.
  ProgressOfRuns(std::size_t runs, std::size_t done, bool quiet)
      : line_(runs, quiet), runs_(runs), done_before_(done), quiet_(quiet), done_(done) {}

  // The current run is `share` done.
  void show(double share, const std::string& name) {
    line_.show((static_cast<double>(done_ - done_before_) + share) / static_cast<double>(runs_ - done_before_), done_,
               name);
  }
  void finished(const std::string& name, const std::string& result) {
    ++done_;
    if (!quiet_) say("[" + std::to_string(done_) + "/" + std::to_string(runs_) + "] " + name + ": " + result);
  }
  void say(const std::string& line) {
    line_.clear();
    std::fprintf(stderr, "%s\n", line.c_str());
  }

 private:
  RunsLine line_;
  const std::size_t runs_;
  const std::size_t done_before_;
  const bool quiet_;
  std::size_t done_;
};

// As the scenario calls it, or a policy of its own.
Status choose_policies(Scenario& scenario, const std::vector<std::string>& wanted) {
  if (wanted.empty()) return {};
  std::vector<NamedPolicy> chosen;
  for (const std::string& name : wanted) {
    const auto known = std::find_if(scenario.policies.begin(), scenario.policies.end(),
                                    [&](const NamedPolicy& policy) { return policy.name == name; });
    const NamedPolicy policy = known != scenario.policies.end() ? *known : NamedPolicy{name, name};
    if (auto good = check_policy(policy, scenario); !good) return bad_input("--policies: " + good.error().message);
    chosen.push_back(policy);
  }
  scenario.not_run = std::exchange(scenario.policies, std::move(chosen));
  return {};
}

std::string default_out(const ExperimentCommand& command) {
  std::string where = command.on;
  std::replace(where.begin(), where.end(), ':', '-');
  return fs::path(command.scenario).stem().string() + "-" + where;
}

// One call of the command: makes the missing runs, then has all of them reported on.
class Experiment {
 public:
  Experiment(const ExperimentCommand& command, Scenario scenario, ResultDirectory directory)
      : command_(command), scenario_(std::move(scenario)), directory_(std::move(directory)) {}

  Status measure();
  // Summaries, figures and the report.
  Result<ExitCode> report() const;

 private:
  Status measure_baselines(ProgressOfRuns& progress);
  Result<Results> results_of(const Run& run, ProgressOfRuns& progress);
  Result<Backend*> backend(ProgressOfRuns& progress);
  std::size_t count_done(const std::vector<Run>& runs) const;

  const ExperimentCommand& command_;
  const Scenario scenario_;
  const ResultDirectory directory_;
  std::unique_ptr<Backend> backend_;  // once something is to be run
  Baselines baselines_;
  Results all_;
  std::uint32_t slots_ = 0;
};

Result<Backend*> Experiment::backend(ProgressOfRuns& progress) {
  if (backend_) return backend_.get();
  auto made = make_backend(command_, scenario_, directory_);
  if (!made) return made.error();
  backend_ = std::move(*made);
  if (!backend_->remark().empty()) progress.say("note: " + backend_->remark());
  return backend_.get();
}

Result<Results> Experiment::results_of(const Run& run, ProgressOfRuns& progress) {
  auto before = directory_.load(run);
  if (!before) return before.error();
  if (*before) return std::move(**before);
  const auto where = backend(progress);
  if (!where) return where.error();
  const std::string name = ResultDirectory::name_of(run);
  progress.show(0, name);
  auto results = (*where)->carry_out(run, baselines_, [&](const RunProgress& done) {
    const auto jobs = static_cast<double>(std::max<std::size_t>(1, done.jobs));
    progress.show(static_cast<double>(done.ended) / jobs,
                  name + ", " + std::to_string(done.ended) + "/" + std::to_string(done.jobs) + " jobs");
  });
  if (!results) return Error{results.error().kind, name + ": " + results.error().message};
  if (auto saved = directory_.save(run, *results); !saved) return saved.error();
  const auto met = std::count_if(results->jobs.begin(), results->jobs.end(),
                                 [](const auto& job) { return job.is_counted() && job.met; });
  const auto jobs =
      std::count_if(results->jobs.begin(), results->jobs.end(), [](const auto& job) { return job.is_counted(); });
  progress.finished(name, std::to_string(met) + " of " + std::to_string(jobs) +
                              (run.is_measurement ? " jobs ended" : " jobs in time"));
  return results;
}

Status Experiment::measure_baselines(ProgressOfRuns& progress) {
  std::map<std::string, Results> measured;  // by policy
  for (const Run& run : plan_measurements(scenario_)) {
    const auto results = results_of(run, progress);
    if (!results) return results.error();
    measured[run.policy.name].append(*results);
  }
  for (const auto& [policy, results] : measured) add_baselines(baselines_, scenario_, policy, results);
  return {};
}

std::size_t Experiment::count_done(const std::vector<Run>& runs) const {
  return static_cast<std::size_t>(std::count_if(runs.begin(), runs.end(), [&](const Run& run) {
    const auto results = directory_.load(run);
    return results && *results;
  }));
}

Status Experiment::measure() {
  std::vector<Run> runs = plan_runs(scenario_);
  const std::vector<Run> measurements = plan_measurements(scenario_);
  const std::size_t done = count_done(runs) + count_done(measurements);
  ProgressOfRuns progress(runs.size() + measurements.size(), done, command_.quiet);
  if (const std::size_t late = count_after_horizon(scenario_); late > 0)
    progress.say("note: " + counted(late, "job") + " would come after the horizon of " + fixed(scenario_.horizon, 0) +
                 " s and " + (late == 1 ? "is" : "are") + " left out");
  if (auto measured = measure_baselines(progress); !measured) return measured;
  for (const Run& run : runs) {
    const auto results = results_of(run, progress);
    if (!results) return results.error();
    all_.append(*results);
  }
  slots_ = backend_ ? backend_->slots() : slots_of(scenario_);
  return write_rows(directory_, all_);
}

Result<ExitCode> Experiment::report() const {
  std::vector<std::string> arguments{"report", directory_.path(), std::to_string(slots_)};
  if (command_.json) arguments.emplace_back("--json");
  auto done = run_python(arguments);
  if (!done) return failed("the rows are in " + directory_.path() + ", but " + done.error().message);
  return done;
}

// In simulation an application is only a name, but the same file is to run on real processes.
Status check_applications(const Scenario& scenario, const ExperimentCommand& command) {
  const auto directories = application_directories(command.application_directories);
  for (const auto& group : scenario.jobs) {
    const auto loaded =
        app::LoadedApplication::load(group.work.application, directories, app::Keeper{geteuid(), getegid()});
    if (!loaded) return bad_input(command.scenario + ": " + loaded.error().message);
  }
  return {};
}

}  // namespace

std::vector<std::string> separated(const std::vector<std::string>& names) {
  std::vector<std::string> all;
  for (const std::string& text : names) {
    if (text.find(':') != std::string::npos) {
      all.push_back(text);
      continue;
    }
    std::istringstream list(text);
    for (std::string item; std::getline(list, item, ',');) {
      if (!item.empty()) all.push_back(item);
    }
  }
  return all;
}

Surroundings beside(const std::string& path) {
  const fs::path folder = fs::absolute(path).parent_path();
  return {[folder](const std::string& name) { return read_text_file((folder / name).string()); },
          [folder](const std::string& name) { return (folder / name).lexically_normal().string(); }};
}

Result<ExitCode> execute(const ExperimentCommand& command) {
  const auto text = read_text_file(command.scenario);
  if (!text) return text.error();
  auto scenario = experiment::read_experiment(*text, beside(command.scenario));
  if (!scenario) return bad_input(command.scenario + ", " + scenario.error().message);
  if (command.repeat > 0) scenario->repeat = command.repeat;
  if (auto chosen = choose_policies(*scenario, separated(command.policies)); !chosen) return chosen.error();
  if (auto known = check_applications(*scenario, command); !known) return known.error();
  auto directory = ResultDirectory::open(command.out.empty() ? default_out(command) : command.out, *text, command.on);
  if (!directory) return directory.error();
  install_interrupt_handlers();
  signal(SIGPIPE, SIG_IGN);
  files::TemporaryDirectory::remove_left_overs();
  Experiment experiment(command, std::move(*scenario), std::move(*directory));
  if (auto measured = experiment.measure(); !measured) {
    if (interrupts() == 0) return measured.error();
    std::fprintf(stderr, "ontime: interrupted; the same command goes on where it stopped\n");
    return ExitCode::Interrupted;
  }
  return experiment.report();
}

}  // namespace ontime::lab
