// Every policy on real task durations: PoCD, machine time, how good the forecasts of the PoCD were. Writes tables of
// comma-separated values; scripts/real-durations makes the page and the figures of them.
#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "common/flags/flags.h"
#include "common/flags/parse.h"
#include "lab/campaigns/real.h"
#include "lab/results/rows.h"
#include "lab/simulator/simulator.h"
#include "scheduler/policies/policy.h"

namespace ontime::lab {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::vector<std::string> files;
  StageChoice choice;
  std::vector<std::string> worlds{"resampled", "replay", "pareto", "lognormal"};
  std::vector<std::string> policies;
  std::vector<std::string> sets{"late:min_age=15s", "hopper:min_age=15s"};
  std::vector<double> deadlines{0.7, 1.0, 1.5};
  std::vector<double> forecast_at{0.1, 0.25, 0.5, 0.75};
  std::uint32_t seeds = 3;
  std::uint32_t median_seeds = 5;
  unsigned threads = 1;
  bool per_stage = false;
  std::string out = "real-durations";
  RealCase base;
};

constexpr std::uint64_t kMedianSeed = 1001;  // the first of the runs that deadlines are taken from

void parse(CLI::App& app, Options& options) {
  app.add_option("--stages", options.files, "files of stages")->required()->check(flags::readable_file());
  app.add_option("--worlds", options.worlds, "resampled, replay, pareto, lognormal")->delimiter(',');
  app.add_option("--policies", options.policies, "NAME or NAME:KEY=VALUE,... each; none is always run");
  app.add_option("--deadlines", options.deadlines, "in medians of the flow time without speculation")->delimiter(',');
  app.add_option("--forecast-at", options.forecast_at, "shares of the deadline")->delimiter(',');
  app.add_option("--runs", options.seeds, "runs per line");
  app.add_option("--median-seeds", options.median_seeds, "runs that the medians are taken from");
  app.add_option("--median-min", options.choice.median_min, "seconds: stages with shorter tasks are left out");
  app.add_option("--jobs", options.base.jobs, "per stage and run, not in replay");
  app.add_option("--load", options.base.load, "share of the slots that the jobs keep busy");
  app.add_option("--launch", options.base.launch, "median launch time in seconds; tasks take 60 on average");
  app.add_option("--persistence", options.base.persistence, "share of luck that is the node's, in replay");
  app.add_option("--threads", options.threads, "runs at a time");
  app.add_flag("--per-stage", options.per_stage, "write each stage's results too");
  app.add_option("--output", options.out, "beginning of the names of the files written");
}

// Adds to the parameters.
void choose_policy(const PolicyChoice& choice, RealCase& what) {
  what.policy = choice.name;
  for (const auto& [key, value] : choice.parameters) what.parameters[key] = value;
}

struct World {
  std::string name;
  std::vector<Stage> stages;
  std::vector<double> medians;  // flow times without speculation
};

struct Row {
  const World* world = nullptr;
  double deadline = 0;
  std::string policy;
  std::optional<RealTally> tally;
};

RealTally run_all(const World& world, const RealCase& what, std::uint64_t first_seed, std::uint32_t seeds,
                  const std::vector<double>& forecast_at) {
  RealTally tally(world.stages.size(), forecast_at);
  Observer observer;
  observer.forecast_at = forecast_at;
  for (std::uint32_t i = 0; i < seeds; ++i) {
    RealCase one = what;
    one.seed = first_seed + i;
    tally.add(lab::run(real_scenario(world.stages, one).value(), one.seed, observer));
  }
  return tally;
}

// Each stage is run without speculation; a replay has the medians of what it is a sample of.
World make_world(const Options& options, const std::string& name, const std::vector<Stage>& stages) {
  World world{name, stages_in(name, stages), {}};
  RealCase what = options.base;
  what.world = name == "replay" ? "resampled" : name;
  world.medians = run_all(world, what, kMedianSeed, options.median_seeds, {}).median_flow_times();
  return world;
}

void fill(const Options& options, Row& row) {
  RealCase what = options.base;
  what.world = row.world->name;
  for (const std::string& set : options.sets) {
    const std::size_t colon = set.find(':');
    if (set.substr(0, colon) == row.policy) choose_policy(read_policy(set).value(), what);
  }
  choose_policy(read_policy(row.policy).value(), what);
  for (const double median : row.world->medians) what.deadlines.push_back(median * row.deadline);
  row.tally = run_all(*row.world, what, 1, options.seeds, options.forecast_at);
}

std::vector<Row> rows_of(const Options& options, const std::vector<World>& worlds) {
  std::vector<std::string> policies{"none"};
  for (const std::string& policy : options.policies) {
    if (policy != "none") policies.push_back(policy);
  }
  std::vector<Row> rows;
  for (const World& world : worlds) {
    for (const double deadline : options.deadlines) {
      for (const std::string& policy : policies) rows.push_back({&world, deadline, policy, {}});
    }
  }
  return rows;
}

void fill_all(const Options& options, std::vector<Row>& rows) {
  std::atomic<std::size_t> next = 0;
  std::mutex printing;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, options.threads); ++i) {
    threads.emplace_back([&] {
      for (std::size_t at = next++; at < rows.size(); at = next++) {
        fill(options, rows[at]);
        const std::lock_guard lock(printing);
        std::fprintf(stderr, "%zu of %zu: %s %.2f %s: %.4f\n", at + 1, rows.size(), rows[at].world->name.c_str(),
                     rows[at].deadline, rows[at].policy.c_str(), rows[at].tally->pocd().value);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

const RealTally& baseline_of(const std::vector<Row>& rows, const Row& row) {
  for (const Row& other : rows) {
    if (other.world == row.world && other.deadline == row.deadline && other.policy == "none") return *other.tally;
  }
  return *row.tally;
}

void write_policies(const std::vector<Row>& rows, const std::string& path) {
  Json all = Json::array();
  for (const Row& row : rows) {
    const RealTally& tally = *row.tally;
    std::uint64_t jobs = 0;
    for (const auto& stage : tally.stages()) jobs += stage.jobs;
    const Estimate pocd = tally.pocd();
    const Estimate machine_time = tally.machine_time_in(baseline_of(rows, row));
    const Calibration forecasts = tally.all_forecasts();
    all.push_back({{"world", row.world->name},
                   {"stages", row.world->stages.size()},
                   {"deadline", row.deadline},
                   {"policy", row.policy},
                   {"jobs", jobs},
                   {"pocd", pocd.value},
                   {"pocd_margin", pocd.margin()},
                   {"machine_time", machine_time.value},
                   {"machine_time_margin", machine_time.margin()},
                   {"attempts_per_task", tally.attempts_per_task()},
                   {"duplicated", tally.duplicated()},
                   {"brier", forecasts.brier()},
                   {"skill", forecasts.skill()},
                   {"bias", forecasts.bias()}});
  }
  std::ofstream(path) << csv_of(all);
}

void write_stages(const std::vector<Row>& rows, const std::string& path) {
  Json all = Json::array();
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.world->stages.size(); ++i) {
      const RealTally::StageTally& tally = row.tally->stages()[i];
      const Stage& stage = row.world->stages[i];
      all.push_back({{"world", row.world->name},
                     {"deadline", row.deadline},
                     {"policy", row.policy},
                     {"stage", stage.name},
                     {"tasks", stage.durations.size()},
                     {"jobs", tally.jobs},
                     {"met", tally.met},
                     {"machine_time", tally.machine_time_per_job()}});
    }
  }
  std::ofstream(path) << csv_of(all);
}

// Jobs of all deadlines together.
std::map<std::pair<std::string, std::string>, std::vector<Calibration>> pooled(const std::vector<Row>& rows) {
  std::map<std::pair<std::string, std::string>, std::vector<Calibration>> all;
  for (const Row& row : rows) {
    auto& to = all[{row.world->name, row.policy}];
    to.resize(row.tally->forecasts().size());
    for (std::size_t i = 0; i < to.size(); ++i) to[i].add(row.tally->forecasts()[i]);
  }
  return all;
}

void write_calibration(const Options& options, const std::vector<Row>& rows) {
  Json scores = Json::array();
  Json bins = Json::array();
  for (const auto& [key, by_share] : pooled(rows)) {
    const auto add_score = [&, policy = key](const std::string& at, const Calibration& one) {
      scores.push_back({{"world", policy.first},
                        {"policy", policy.second},
                        {"at", at},
                        {"forecasts", one.count()},
                        {"silent", one.silent()},
                        {"base_rate", one.base_rate()},
                        {"bias", one.bias()},
                        {"brier", one.brier()},
                        {"reliability", one.reliability()},
                        {"resolution", one.resolution()},
                        {"uncertainty", one.uncertainty()},
                        {"skill", one.skill()}});
    };
    Calibration all;
    for (std::size_t i = 0; i < by_share.size(); ++i) {
      add_score(number(options.forecast_at[i]), by_share[i]);
      all.add(by_share[i]);
    }
    add_score("all", all);
    for (std::size_t i = 0; i < Calibration::kBins; ++i) {
      const Calibration::Bin& bin = all.bins()[i];
      if (bin.count == 0) continue;
      bins.push_back({{"world", key.first},
                      {"policy", key.second},
                      {"bin", i},
                      {"forecasts", bin.count},
                      {"mean_forecast", bin.mean_forecast()},
                      {"met", bin.share()}});
    }
  }
  std::ofstream(options.out + "-calibration.csv") << csv_of(scores);
  std::ofstream(options.out + "-reliability.csv") << csv_of(bins);
}

Result<std::vector<Stage>> read_files(const Options& options) {
  std::vector<Stage> stages;
  for (const std::string& path : options.files) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    const auto read = read_stages(text.str());
    if (!read) return bad_input(path + ": " + read.error().message);
    stages.insert(stages.end(), read->begin(), read->end());
  }
  return choose_stages(stages, options.choice);
}

Status check_policies(const Options& options, const std::vector<Stage>& stages) {
  for (const std::string& policy : options.policies) {
    RealCase what = options.base;
    const auto choice = read_policy(policy);
    if (!choice) return choice.error();
    choose_policy(*choice, what);
    if (const auto scenario = real_scenario(stages, what); !scenario) return scenario.error();
  }
  return {};
}

int main(int argc, char** argv) {
  CLI::App app("Compares policies on real task durations in the simulator");
  Options options;
  parse(app, options);
  flags::parse_or_exit(app, argc, argv);
  if (options.policies.empty()) {
    for (const auto& policy : scheduler::policies()) options.policies.emplace_back(policy.name);
  }
  const auto stages = read_files(options);
  const Status good = stages ? check_policies(options, *stages) : Status(stages.error());
  if (!good) {
    std::fprintf(stderr, "%s\n", good.error().message.c_str());
    return 1;
  }
  std::vector<World> worlds;
  worlds.reserve(options.worlds.size());
  for (const std::string& name : options.worlds) worlds.push_back(make_world(options, name, *stages));
  std::vector<Row> rows = rows_of(options, worlds);
  fill_all(options, rows);
  write_policies(rows, options.out + ".csv");
  write_calibration(options, rows);
  if (options.per_stage) write_stages(rows, options.out + "-stages.csv");
  return 0;
}

}  // namespace
}  // namespace ontime::lab

int main(int argc, char** argv) { return ontime::lab::main(argc, argv); }
