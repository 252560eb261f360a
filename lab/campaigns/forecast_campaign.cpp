// What was expected of simulated jobs and what came true: a line of comma-separated values for each reading.
// scripts/forecast-calibration makes the table and the figure of docs/calibration.md of them.
#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "common/flags/flags.h"
#include "common/flags/parse.h"
#include "lab/campaigns/forecast.h"
#include "lab/results/rows.h"

namespace ontime::lab {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string stages;
  std::string out = "forecasts.csv";
  ForecastPlan plan;
  unsigned threads = 1;
  bool by_deadline = false;
};

void parse(CLI::App& app, Options& options) {
  app.add_option("--stages", options.stages, "a file of stages")->required()->check(flags::readable_file());
  app.add_option("--policies", options.plan.policies, "all, unless some are named");
  app.add_option("--worlds", options.plan.worlds, "all, unless some are named");
  app.add_option("--seed", options.plan.first_seed, "the first one");
  app.add_option("--runs", options.plan.seeds, "runs of each combination");
  app.add_option("--every", options.plan.every, "only each so manyth combination");
  app.add_flag("--by-deadline", options.by_deadline, "read at shares of the deadline instead of the job's life");
  app.add_option("--threads", options.threads, "runs at a time");
  app.add_option("--output", options.out, "the file written");
}

void add_rows(Json& rows, const ForecastTrial& trial) {
  const ForecastCase& what = trial.what;
  for (const JobOutcome& job : trial.jobs) {
    for (std::size_t i = 0; i < job.forecasts.size(); ++i) {
      const ForecastReading& seen = job.forecasts[i];
      rows.push_back({{"policy", what.policy},
                      {"world", what.world},
                      {"waves", what.waves},
                      {"splits", what.even ? "even" : "uneven"},
                      {"jobs", what.many ? "many" : "one"},
                      {"durations", what.known ? "known" : "unknown"},
                      {"factor", trial.deadline},
                      {"seed", what.seed},
                      {"job", job.group},
                      {"tasks", job.tasks},
                      {"share", forecast_shares()[i]},
                      {"pocd", seen.pocd},
                      {"low", seen.low},
                      {"median", seen.median},
                      {"high", seen.high},
                      {"end", job.flow_time()},
                      {"deadline", job.deadline},
                      {"met", job.met()}});
    }
  }
}

Json run_all(const Options& options, const std::vector<Stage>& stages) {
  const std::vector<PlannedCase> cases = forecast_cases(options.plan);
  std::vector<ForecastTrial> found(cases.size());
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, options.threads); ++i) {
    threads.emplace_back([&] {
      ForecastTrials trials(stages, options.by_deadline ? ReadingOf::Deadline : ReadingOf::Life);
      for (std::size_t at = next++; at < cases.size(); at = next++) {
        found[at] = trials.run(cases[at].what, cases[at].deadline);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  Json rows = Json::array();
  for (const ForecastTrial& trial : found) add_rows(rows, trial);
  return rows;
}

int main(int argc, char** argv) {
  CLI::App app("Sets what was expected of simulated jobs beside what came true");
  Options options;
  parse(app, options);
  flags::parse_or_exit(app, argc, argv);
  std::ostringstream text;
  text << std::ifstream(options.stages).rdbuf();
  const auto read = read_stages(text.str());
  if (!read) {
    std::fprintf(stderr, "%s: %s\n", options.stages.c_str(), read.error().message.c_str());
    return 1;
  }
  std::ofstream(options.out) << csv_of(run_all(options, choose_stages(*read, {})));
  return 0;
}

}  // namespace
}  // namespace ontime::lab

int main(int argc, char** argv) { return ontime::lab::main(argc, argv); }
