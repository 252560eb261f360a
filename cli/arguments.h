#pragma once
// Groups of options that several verbs share, declared with CLI11. Only command_line*.cpp include this.

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/command_line.h"
#include "common/flags/flags.h"
#include "common/flags/parse.h"

namespace ontime::cli {

// Behind "--" everything is a path, also what looks like an option.
void spell_out_paths(std::vector<std::string>& arguments);
// "help run" is "run --help". There is no help on an unknown verb: that is a complaint, as without --help.
void understand_help(const CLI::App& app, std::vector<std::string>& arguments);

// Parses into the options of `app`, whose callbacks set `chosen`; "help VERB" and "--" are understood.
template <class AnyCommand>
Parsed<AnyCommand> parse_with(CLI::App& app, std::optional<AnyCommand>& chosen, std::vector<std::string> arguments) {
  spell_out_paths(arguments);
  understand_help(app, arguments);
  const auto printout = flags::parse(app, std::move(arguments));
  const auto verbs = app.get_subcommands();
  const std::string verb = verbs.empty() ? "" : verbs.front()->get_name();
  if (!printout) return {.command = std::move(chosen), .verb = verb, .text = {}, .exit = ExitCode::Done};
  return {.command = {}, .verb = verb, .text = printout->text, .exit = ExitCode{printout->exit_code}};
}

// Reads the id of a job, such as 7 or job-7.
std::function<void(const std::string&)> read_id(JobId& into);

void add_job_options(CLI::App& app, JobOptions& job);
// The part that says what is mapped: application, input, splits, parameters.
void add_input_options(CLI::App& app, JobOptions& job);
void add_cluster_options(CLI::App& app, ClusterOptions& cluster);
void add_master_options(CLI::App& app, MasterOptions& master);
// Without the address: token and certificates.
void add_credential_options(CLI::App& app, MasterOptions& master);
CLI::App& add_certs_verb(CLI::App& app, CertsCommand& certs);
void add_application_directories(CLI::App& app, std::vector<std::string>& directories);
void add_json(CLI::App& app, bool& json);

}  // namespace ontime::cli
