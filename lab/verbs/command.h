#pragma once
// What the lab's verbs are asked for, as cli/command.h has it for the others.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/command.h"
#include "cli/command_line.h"
#include "common/base/result.h"
#include "lab/foresight/recorded_job.h"
#include "lab/results/grid.h"
#include "lab/scenario/scenario_yaml.h"

namespace ontime::lab {

struct SimulateCommand {
  std::vector<std::string> scenarios;  // YAML files, scenarios or studies
  std::string out;                     // a directory for what is written about them; empty: none
  std::optional<std::uint32_t> runs;   // of each policy or point; none: one of a scenario, what a study says
  std::optional<std::uint64_t> seed;   // of the first run; none: what the scenario says
  // Scenarios.
  std::vector<std::string> policies;  // NAME or NAME:KEY=VALUE,...; empty: what the scenario says
  std::string event_log;              // a file; empty: none
  std::string report;                 // a directory for pages about jobs of the first runs; empty: none
  bool json = false;
  bool is_silent = false;  // only writes
  // Studies.
  std::uint32_t threads = 1;      // runs at a time
  std::uint32_t points = 0;       // so many of them, spread evenly; 0: all
  std::vector<std::string> only;  // the study's policies, as separated() takes them; empty: all
};

struct ReplayCommand {
  JobId job;                          // 0: all
  std::vector<std::string> policies;  // to simulate instead of comparing; as in `simulate`
  std::uint32_t runs = 200;           // per policy
  std::uint64_t seed = 1;
  bool alone = false;  // without the jobs that ran beside it
  std::string journal = "ontime-journal";
  std::string recording;  // a file, instead
  std::string report;     // a file for the page about the job; empty: none
  bool strict = false;    // policies as written are to do no harm either
  bool json = false;
};

struct PlanCommand {
  cli::JobOptions job;                // without output; its policy is one of `policies`
  cli::MasterOptions master;          // asked for a profile unless there is another source
  std::string journal;                // whose recordings hold a profile; empty: none
  std::string recording;              // likewise, a file
  std::optional<Duration> t_min;      // a hint: shortest time for a whole split
  double beta = 2;                    // with t_min
  std::optional<Duration> launch;     // time to launch an attempt
  double target = 0.99;               // PoCD
  std::uint32_t slots = 0;            // 0: the master's, or this machine's cores
  double price = 0;                   // of an hour of a slot; 0: none
  std::vector<std::string> policies;  // NAME or NAME:KEY=VALUE,...; empty: a choice
  std::uint32_t runs = 0;             // of each simulation; 0: few enough to answer soon
  std::uint64_t seed = 1;
  bool explain = false;  // how the answer was found
  bool json = false;
};

struct ExperimentCommand {
  std::string scenario;               // a YAML file
  std::string on = "sim";             // sim, local or HOST:PORT
  std::vector<std::string> policies;  // names in the scenario, or policies; empty: all of the scenario's
  std::uint32_t repeat = 0;           // 0: as the scenario says
  std::string out;                    // empty: a name made of the scenario's and `on`
  std::string work;                   // where inputs and outputs of jobs are put; empty: below `out`
  cli::MasterOptions master;          // at `on`, if that is HOST:PORT
  std::vector<std::string> application_directories;
  bool quiet = false;
  bool json = false;
};

struct ImportCommand {
  std::string format;              // of the logs, as python/ontime/lab/imports has it
  std::vector<std::string> files;  // logs, or directories of them
  std::string out;                 // the trace is OUT.csv, OUT-attempts.csv and the scenario OUT.yaml
  std::string copies = "host-aware";
  bool check = false;  // by a simulation, against the recorded ends
  bool json = false;
};

struct CompareCommand {
  std::string before;  // result directories
  std::string after;
  bool json = false;
};

using Command =
    std::variant<SimulateCommand, ReplayCommand, PlanCommand, ExperimentCommand, CompareCommand, ImportCommand>;

// From argv to a Command of the lab; pure as cli/command_line.h.

using ParsedLabLine = cli::Parsed<Command>;

// `arguments` without the program's name.
ParsedLabLine parse_lab_line(std::vector<std::string> arguments);

// Carrying out a verb of the lab, one overload (and one file) per verb, as cli/commands/execute.h.
Result<cli::ExitCode> execute(const SimulateCommand& command);
Result<cli::ExitCode> execute(const ReplayCommand& command);
Result<cli::ExitCode> execute(const PlanCommand& command);
Result<cli::ExitCode> execute(const ExperimentCommand& command);
Result<cli::ExitCode> execute(const CompareCommand& command);
Result<cli::ExitCode> execute(const ImportCommand& command);

// Of a file with a key `study`, whose text is given.
Result<cli::ExitCode> simulate_study(const SimulateCommand& command, const std::string& path, const std::string& text);

// "none,hadoop" is two; a policy with parameters stands alone, for they have commas too.
std::vector<std::string> separated(const std::vector<std::string>& names);

// The files that a scenario names lie beside it.
Surroundings beside(const std::string& scenario);

// For a terminal.
std::string terminal_text(const Grid& grid);

// The recordings of a journal, or the file that is named instead.
Result<std::vector<std::string>> recordings_of(const std::string& journal, const std::string& recording);

}  // namespace ontime::lab
