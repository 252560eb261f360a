#include <algorithm>
#include <limits>
#include <utility>

#include "cli/arguments.h"
#include "cli/lab_verbs.h"
#include "common/base/machine.h"
#include "lab/verbs/command.h"

namespace ontime::lab {

using namespace cli;
using flags::add_duration;
using flags::add_number;
using flags::add_whole;

namespace {

constexpr std::uint32_t kSlotsPlannedMax = 100'000;  // more take minutes to simulate

// As python/ontime/lab/imports reads them.
const std::vector<std::string> kLogFormats{"spark",    "jhist",       "rumen",      "sls",
                                           "wfformat", "alibaba2018", "google2019", "swf"};
const std::vector<std::string> kCopies{"host-aware", "resampled", "pareto", "lognormal"};

// Whose help shows what kind of thing its value is.
template <class Into>
CLI::Option* add_value(CLI::App& app, const char* name, Into& into, const char* kind, const char* help) {
  return app.add_option(name, into, help)->type_name(kind);
}

class Grammar : public VerbGrammar<Command> {
 public:
  Grammar() : VerbGrammar("The verbs of ontime that simulate, predict and compare.", "ontime-lab") {
    add_simulate_verb();
    add_foresight_verbs();
    add_experiment_verbs();
    add_import_verb();
  }

 private:
  // Its summary stands where `ontime` lists it.
  template <class C>
  CLI::App& add_verb(const char* name, const char* examples, C& command) {
    return VerbGrammar::add_verb(name, find_lab_verb(name)->summary, examples, command);
  }
  void add_simulate_verb();
  void add_foresight_verbs();
  void add_plan_verb();
  void add_experiment_verbs();
  void add_import_verb();

  SimulateCommand simulate_;
  ReplayCommand replay_;
  PlanCommand plan_;
  ExperimentCommand experiment_;
  CompareCommand compare_;
  ImportCommand import_;
};

void Grammar::add_simulate_verb() {
  auto& simulate = add_verb("simulate",
                            "  ontime simulate busy.yaml --policy none --policy shed+\n"
                            "  ontime simulate busy.yaml --policy shed+:theta=1s --runs 20 --json\n"
                            "  ontime simulate lab/scenarios/papers/*.yaml --output reproduction --threads 4\n",
                            simulate_);
  add_value(simulate, "FILE", simulate_.scenarios, "",
            "YAML files: a scenario (nodes, jobs, faults), or a study of one")
      ->required();
  add_value(simulate, "-o,--output", simulate_.out, "DIR",
            "Write results here: jobs.csv and summary.json of a scenario; page, table and figure of a study");
  simulate_.threads = machine_share().cores;
  add_whole(simulate, "--threads", simulate_.threads, {1}, "Studies: runs at a time; changes no result");
  add_value(simulate, "--only", simulate_.only, "LIST",
            "Studies: these policies alone, as the study calls them; comma-separated, repeatable");
  add_whole(simulate, "--points", simulate_.points, {1}, "Studies: this many of the points, spread evenly");
  add_value(simulate, "--policy", simulate_.policies, "POLICY",
            "For all jobs instead of what the scenario says: NAME or NAME:KEY=VALUE,...; repeatable");
  add_whole(simulate, "--seed", simulate_.seed, {}, "Seed of the first run (default: the scenario's, or 1)");
  add_whole(simulate, "--runs", simulate_.runs, {1},
            "Runs per policy, each with the next seed (default: the scenario's 'repeat'); studies: per point (default: "
            "what the study says)");
  add_value(simulate, "--event-log", simulate_.event_log, "FILE", "Write every event and action of the first run here");
  add_value(simulate, "--report", simulate_.report, "DIR",
            "Write a page about each of the first 20 jobs of each policy's first run here, as 'ontime report' does");
  add_json(simulate, simulate_.json);
}

void Grammar::add_foresight_verbs() {
  auto& replay = add_verb("replay",
                          "  ontime run wordcount book.txt -o out --policy shed+ --deadline 9s --record run.otr\n"
                          "  ontime replay --recording run.otr\n"
                          "  ontime replay 7 --journal ontime-journal\n"
                          "  ontime replay --recording run.otr --policy none --policy split-resume\n",
                          replay_);
  replay.add_option_function<std::string>("JOB", read_id(replay_.job), "Only this job")->type_name("");
  auto* journal =
      add_value(replay, "--journal", replay_.journal, "DIR", "Journal directory of a master, running or not")
          ->capture_default_str();
  add_value(replay, "--recording", replay_.recording, "FILE", "A file written by 'ontime run --record' instead")
      ->excludes(journal);
  add_value(replay, "--policy", replay_.policies, "POLICY",
            "Predict the job under this policy instead: NAME or NAME:KEY=VALUE,...; repeatable");
  add_whole(replay, "--runs", replay_.runs, {1}, "With --policy: simulations per policy");
  add_whole(replay, "--seed", replay_.seed, {}, "With --policy: seed of the first simulation");
  replay.add_flag("--alone", replay_.alone, "With --policy: without the jobs that ran beside it");
  replay.add_flag("--strict", replay_.strict, "Decisions of policies with as_written=yes count as harm, too");
  add_value(replay, "--report", replay_.report, "FILE", "Write a page about the job here, as 'ontime report' does");
  add_json(replay, replay_.json);
  add_plan_verb();
}

void Grammar::add_plan_verb() {
  auto& plan = add_verb("plan",
                        "  ontime plan wordcount /data/books --deadline 90s --target-pocd 0.99\n"
                        "  ontime plan wordcount /data/books --deadline 90s --slots 40 --price 0.05 --policy shed+\n"
                        "  ontime plan wordcount book.txt --deadline 9s --recording run.otr\n"
                        "  ontime plan wordcount book.txt --deadline 9s --slots 8 --t-min 2s --beta 1.6\n",
                        plan_);
  add_input_options(plan, plan_.job);
  add_deadline(plan, plan_.job, "Time the job may take, or the clock time by which it must be done")->required();
  add_number(plan, "--target-pocd", plan_.target, 0.01, 0.9999,
             "Find the slots and the deadline for this probability of meeting the deadline")
      ->type_name("P")
      ->default_str("0.99");
  add_whole(plan, "--slots", plan_.slots, {1, kSlotsPlannedMax},
            "Slots to run on (default: the master's, or this machine's cores)");
  constexpr double kNoBound = std::numeric_limits<double>::infinity();
  add_number(plan, "--price", plan_.price, 0, kNoBound, "Price of an hour of a slot: tells the cost")
      ->type_name("MONEY");
  add_value(plan, "--policy", plan_.policies, "POLICY",
            "NAME or NAME:KEY=VALUE,...; repeatable (default none, hadoop, shed+ and split-resume)");
  auto* t_min = add_duration(plan, "--t-min", plan_.t_min, "Shortest time for a whole split, instead of a profile");
  add_number(plan, "--beta", plan_.beta, 0.1, 100,
             "With --t-min: tail index of the Pareto distribution; the larger, the fewer slow attempts")
      ->default_str("2")
      ->needs(t_min);
  add_duration(plan, "--launch", plan_.launch, "Time to launch an attempt (default: the profile's, or 1s)");
  auto* journal =
      add_value(plan, "--journal", plan_.journal, "DIR", "Take the profile from the recordings of this journal");
  add_value(plan, "--recording", plan_.recording, "FILE", "Take the profile from this file, see 'ontime run --record'")
      ->excludes(journal);
  add_whole(plan, "--runs", plan_.runs, {1}, "Simulations of each case (default: as many as take about a second)");
  add_whole(plan, "--seed", plan_.seed, {}, "Seed of the first simulation");
  plan.add_flag("--explain", plan_.explain, "Explain how the numbers were found");
  add_application_directories(plan, plan_.job.application_directories);
  add_master_options(plan, plan_.master);
  add_json(plan, plan_.json);
}

void Grammar::add_experiment_verbs() {
  auto& experiment = add_verb("experiment",
                              "  ontime experiment examples/experiments/one-straggler.yaml --on local\n"
                              "  ontime experiment heavy.yaml --on sim --runs 20 --policies none,shed+\n"
                              "  ontime experiment heavy.yaml --on 10.0.0.1:7400 --work /shared/work --output heavy\n",
                              experiment_);
  add_value(experiment, "FILE", experiment_.scenario, "", "YAML file: nodes, injection, jobs, policies")->required();
  experiment
      .add_option("--on", experiment_.on, "sim, local (worker processes on this machine) or HOST:PORT of a master")
      ->check(CLI::Validator(
          [](std::string& text) {
            const bool is_known = text == "sim" || text == "local" || text.find(':') != std::string::npos;
            return is_known ? std::string() : "'" + text + "' is not one of: sim, local, HOST:PORT";
          },
          ""))
      ->type_name("WHERE")
      ->capture_default_str();
  add_value(experiment, "--policies", experiment_.policies, "LIST",
            "Only these: names in the scenario, or policies as in 'ontime simulate'; comma-separated, repeatable");
  add_whole(experiment, "--runs", experiment_.repeat, {1},
            "Repeat the experiment N times, each time with the next seed");
  add_value(experiment, "-o,--output", experiment_.out, "DIR",
            "Directory for the results; with unfinished ones of the same scenario, goes on");
  add_value(experiment, "--work", experiment_.work, "DIR", "Directory for inputs and outputs that all workers see");
  add_credential_options(experiment, experiment_.master);
  add_application_directories(experiment, experiment_.application_directories);
  experiment.add_flag("-q,--quiet", experiment_.quiet, "No progress");
  add_json(experiment, experiment_.json);

  auto& compare = add_verb("compare", "  ontime compare heavy-sim heavy-local\n", compare_);
  add_value(compare, "BEFORE", compare_.before, "",
            "Result directory of 'ontime experiment' or 'simulate', or its address (s3://, hdfs://)")
      ->required();
  add_value(compare, "AFTER", compare_.after, "", "Result directory to compare with it")->required();
  add_json(compare, compare_.json);
}

void Grammar::add_import_verb() {
  auto& import = add_verb("import",
                          "  ontime import spark /var/log/spark-history/application_1_0001 -o nightly --check\n"
                          "  ontime import jhist *.jhist -o nightly --copies pareto\n"
                          "  ontime simulate nightly.yaml --policy none --policy split-resume\n",
                          import_);
  import.add_option("FORMAT", import_.format, "What has written the logs")
      ->check(CLI::IsMember(kLogFormats))
      ->type_name("")
      ->required();
  add_value(import, "FILE", import_.files, "", "Logs, as they are or compressed, or directories of them")->required();
  add_value(import, "-o,--output", import_.out, "NAME",
            "Write NAME.csv (jobs and tasks), NAME-attempts.csv and the scenario NAME.yaml")
      ->required();
  import.add_option("--copies", import_.copies, "What attempts take beyond the recorded ones")
      ->check(CLI::IsMember(kCopies))
      ->type_name("RULE")
      ->capture_default_str();
  import.add_flag("--check", import_.check,
                  "Simulate it under the policy that ran, and compare the ends of its jobs with the recorded ones");
  add_json(import, import_.json);
}

}  // namespace

ParsedLabLine parse_lab_line(std::vector<std::string> arguments) { return Grammar().parse(std::move(arguments)); }

}  // namespace ontime::lab
