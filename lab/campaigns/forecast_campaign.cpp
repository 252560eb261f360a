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

namespace ontime::lab {
namespace {

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

std::string lines_of(const ForecastTrial& trial) {
  std::ostringstream lines;
  const ForecastCase& what = trial.what;
  for (const JobOutcome& job : trial.jobs) {
    for (std::size_t i = 0; i < job.forecasts.size(); ++i) {
      const ForecastReading& seen = job.forecasts[i];
      lines << what.policy << ',' << what.world << ',' << what.waves << ',' << (what.even ? "even" : "uneven") << ','
            << (what.many ? "many" : "one") << ',' << (what.known ? "known" : "unknown") << ',' << trial.deadline << ','
            << what.seed << ',' << job.group << ',' << job.tasks << ',' << forecast_shares()[i] << ',' << seen.pocd
            << ',' << seen.low << ',' << seen.median << ',' << seen.high << ',' << job.flow_time() << ','
            << job.deadline << ',' << job.met() << '\n';
    }
  }
  return lines.str();
}

void run_all(const Options& options, const std::vector<Stage>& stages, std::ofstream& file) {
  const std::vector<PlannedCase> cases = forecast_cases(options.plan);
  std::vector<std::string> lines(cases.size());
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, options.threads); ++i) {
    threads.emplace_back([&] {
      ForecastTrials trials(stages, options.by_deadline ? ReadingOf::Deadline : ReadingOf::Life);
      for (std::size_t at = next++; at < cases.size(); at = next++) {
        lines[at] = lines_of(trials.run(cases[at].what, cases[at].deadline));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& some : lines) file << some;
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
  std::ofstream file(options.out);
  file << "policy,world,waves,splits,jobs,durations,factor,seed,job,tasks,share,pocd,low,median,high,end,deadline,met\n";
  run_all(options, choose_stages(*read, {}), file);
  return 0;
}

}  // namespace
}  // namespace ontime::lab

int main(int argc, char** argv) { return ontime::lab::main(argc, argv); }
