#pragma once
// The grammar of a program with verbs, and groups of options that several verbs share, declared with CLI11. Only
// command_line.cpp includes this, here and in the lab.

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/command_line.h"
#include "common/flags/flags.h"

namespace ontime::cli {

// Behind "--" everything is a path, also what looks like an option.
void spell_out_paths(std::vector<std::string>& arguments);

// Declares verbs on one CLI::App. Derived classes keep the command structs that the verbs' options write to.
template <class AnyCommand>
class VerbGrammar {
 public:
  VerbGrammar(const char* summary, const char* program) : app_(summary, "ontime"), program_(program) {
    app_.require_subcommand(1);
    flags::add_standard_flags(app_, program);
  }
  VerbGrammar(const VerbGrammar&) = delete;  // the options point into it
  VerbGrammar& operator=(const VerbGrammar&) = delete;

  // "--" is understood too.
  Parsed<AnyCommand> parse(std::vector<std::string> arguments) {
    spell_out_paths(arguments);
    if (arguments.empty() || arguments.front().starts_with('-')) app_.name(program_);  // verbs are `ontime`'s
    const auto printout = flags::parse(app_, std::move(arguments));
    const auto verbs = app_.get_subcommands();
    const std::string verb = verbs.empty() ? "" : verbs.front()->get_name();
    if (!printout) return {.command = std::move(chosen_), .verb = verb, .text = {}, .exit = ExitCode::Done};
    return {.command = {}, .verb = verb, .text = printout->text, .exit = ExitCode{printout->exit_code}};
  }

 protected:
  CLI::App& app() { return app_; }
  template <class C>
  CLI::App& add_verb(const char* name, const char* summary, const std::string& examples, C& command) {
    auto& verb = *app_.add_subcommand(name, summary);
    verb.footer("Examples:\n" + examples);
    verb.final_callback([this, &command] { chosen_ = command; });
    return verb;
  }

 private:
  CLI::App app_;
  const std::string program_;
  std::optional<AnyCommand> chosen_;
};

// An option whose value is taken as it is; `type` stands for it in the help: FILE.
template <class Value>
CLI::Option* add_text(CLI::App& app, const std::string& name, Value& value, const std::string& type,
                      const std::string& help) {
  return app.add_option(name, value, help)->type_name(type)->allow_extra_args(false);
}
// What stands without a flag in front of it, and is needed. Several if the value is a list.
template <class Value>
CLI::Option* add_argument(CLI::App& app, const std::string& name, Value& value, const std::string& help) {
  return app.add_option(name, value, help)->required()->type_name("");
}

// Reads the id of a job, such as 7 or job-7.
std::function<void(const std::string&)> read_id(JobId& into);

// Reads an attempt, such as 3, 3/1, t00003 or t00003-a1.
std::function<void(const std::string&)> read_attempt(AttemptChoice& into);

void add_job_options(CLI::App& app, JobOptions& job);
// The part that says what is mapped: application, input, splits, parameters.
void add_input_options(CLI::App& app, JobOptions& job);
CLI::Option* add_deadline(CLI::App& app, JobOptions& job, const std::string& help);
void add_cluster_options(CLI::App& app, ClusterOptions& cluster);
void add_master_options(CLI::App& app, MasterOptions& master);
// Without the address: token and certificates.
void add_credential_options(CLI::App& app, MasterOptions& master);
// Adds the verbs of `ontime certs` to it.
void add_certs_verbs(CLI::App& certs, CertsCommand& command);
void add_application_directories(CLI::App& app, std::vector<std::string>& directories);
void add_json(CLI::App& app, bool& json);

}  // namespace ontime::cli
