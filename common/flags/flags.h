#pragma once
// Command lines, by CLI11: turns arguments into options, or into a text that is printed instead. A refusal names the
// flag, the value and what is wanted, and exits as bad usage. No text of CLI11 or its INI reader reaches the user.
// A program without verbs declares its flags without CLI11's header, which takes longer to compile than all of those.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/base/time.h"

namespace CLI {
class App;
class Option;
class Validator;
}  // namespace CLI

namespace ontime::flags {

using Settings = std::map<std::string, std::string, std::less<>>;

// What every program has: help in one form, `--version`, and `--man`, its manual page under the name `program`.
void add_standard_flags(CLI::App& app, const std::string& program);

// What more there is to say about a flag.
struct About {
  std::string type{};                  // stands for its value in the help
  bool shows_value = false;            // the one that it has before the command line is read, as default
  std::optional<std::string> shown{};  // this instead
  std::vector<std::string> choices{};
  std::string environment{};  // the variable that is read if the flag is not given
  bool configurable = true;   // in a configuration file too
};
CLI::Option* describe(CLI::Option* option, const About& about);
CLI::Option* add_text(CLI::App& app, const std::string& name, std::string& value, const std::string& help,
                      const About& about = {});
// Repeatable; `takes_one`: one value behind each.
CLI::Option* add_texts(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                       const std::string& help, const About& about = {}, bool takes_one = false);
CLI::Option* add_switch(CLI::App& app, const std::string& name, bool& value, const std::string& help,
                        const About& about = {});

// "128MiB"; a default of 0 is not shown.
CLI::Option* add_size(CLI::App& app, const std::string& name, std::uint64_t& value, const std::string& help,
                      std::uint64_t least = 1);
// "90s"
CLI::Option* add_duration(CLI::App& app, const std::string& name, Duration& value, const std::string& help,
                          Duration least = Duration(0));
CLI::Option* add_duration(CLI::App& app, const std::string& name, std::optional<Duration>& value,
                          const std::string& help, Duration least = Duration(0));
// A finite number such as 0.05; an infinite `most` is no bound.
CLI::Option* add_number(CLI::App& app, const std::string& name, double& value, double least, double most,
                        const std::string& help);
// A repeatable KEY=VALUE, each key once: what `settings` has already is refused too.
CLI::Option* add_settings(CLI::App& app, const std::string& name, Settings& settings, const std::string& help);
// One of these, which completion offers.
CLI::Validator one_of(std::vector<std::string> choices);
CLI::Validator readable_file();
// Completion offers these. Other values are taken too.
CLI::Validator offering(const std::vector<std::string>& choices);
// What completion offers as the option's value.
std::vector<std::string> choices_of(CLI::Option& option);

struct Range {
  std::uint64_t least = 0;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
};

// A whole number in digits.
CLI::Option* add_whole(CLI::App& app, const std::string& name, std::function<void(std::uint64_t)> put, Range range,
                       const std::string& help);

template <class Whole>
Range within(Range range) {
  return {range.least, std::min<std::uint64_t>(range.most, std::numeric_limits<Whole>::max())};
}

template <class Whole>  // a default of 0 is not shown
CLI::Option* add_whole(CLI::App& app, const std::string& name, Whole& value, Range range, const std::string& help) {
  auto* option = add_whole(
      app, name, [&value](std::uint64_t number) { value = static_cast<Whole>(number); }, within<Whole>(range), help);
  return value == 0 ? option : describe(option, {.shown = std::to_string(value)});
}

template <class Whole>
CLI::Option* add_whole(CLI::App& app, const std::string& name, std::optional<Whole>& value, Range range,
                       const std::string& help) {
  return add_whole(
      app, name, [&value](std::uint64_t number) { value = static_cast<Whole>(number); }, within<Whole>(range), help);
}

// Flags that several programs have.

// --tls-ca, --tls-cert and --tls-key of this "master", "worker" or "client".
void add_tls(CLI::App& app, const std::string& who, std::string& authority, std::string& certificate, std::string& key);
// --log-level alone, and with --log-format and --log-file.
CLI::Option* add_log_level(CLI::App& app, std::string& level, const std::string& help);
void add_log(CLI::App& app, std::string& level, std::string& format, std::string& file);
// --input-root and --output-root of "Jobs" or "Attempts".
void add_roots(CLI::App& app, const std::string& who, std::vector<std::string>& inputs,
               std::vector<std::string>& outputs);

// "./mine.so:theta=1" with the whole path: the program that loads the policy may work elsewhere. Others as they are.
std::string with_whole_path(const std::string& policy);

// --policy NAME or NAME:KEY=VALUE,..., as `read` understands it, and --policy-set, which adds parameters to it. The
// caller may set what the first option shows.
CLI::Option* add_policy(CLI::App& app, Settings& parameters, std::function<Status(const std::string&)> read,
                        const std::string& help);
template <class Read>
CLI::Option* add_policy(CLI::App& app, std::string& name, Settings& parameters, Read read, const std::string& help) {
  const auto put = [&name, &parameters, read](const std::string& text) -> Status {
    const auto choice = read(text);
    if (!choice) return choice.error();
    name = choice->name;
    parameters = choice->parameters;  // --policy-set comes after
    return {};
  };
  return add_policy(app, parameters, put, help);
}

// What is made of a program's flags besides its help, so that there is one description of them.

// "ontime certs node"
std::string full_name(const CLI::App& app);

// In roff, for man(1): the program's flags, then every verb with its own.
std::string man_page(const CLI::App& app, const std::string& program);

// Lines "WORD<tab>DESCRIPTION" of what may stand in place of the last word, which may be empty. No line: a file, or
// something that nobody can guess. The first word is the one behind the program's name.
std::string completions(CLI::App& app, std::vector<std::string> words);

// For suggestions, in this folder only.
// The long names without their dashes.
std::vector<std::string> flag_names(const CLI::App& app);

// "; did you mean '--output'?" with `before` in front of the name; empty if no name is near.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& names,
                         const std::string& before = "");

// Where descriptions begin in the help.
inline constexpr std::size_t kHelpColumn = 28;
// The help in lines of at most `width` columns, as far as words allow it, but for the examples; 0: as it is.
std::string wrapped(const std::string& help, std::size_t width);

constexpr int kBadUsage = 2;

// Help and version go to stdout with code 0, a complaint about the usage to stderr with kBadUsage.
struct Printout {
  int exit_code = 0;
  std::string text;
};

// Adds --config, a file with lines NAME=VALUE, each as good as the flag --NAME.
void add_config_file(CLI::App& app);

// Parses `arguments`, which do not hold the program's name, and fills the options of `app`. Nothing if that went well.
// Behind `--complete` stand words that a shell wants completed; `help VERB` is `VERB --help`.
std::optional<Printout> parse(CLI::App& app, std::vector<std::string> arguments);
// The same of a program without verbs.
std::optional<Printout> parse(const std::string& program, const std::string& summary,
                              const std::function<void(CLI::App&)>& declare, std::vector<std::string> arguments);

// The same for the main function of a program for developers, with the flags that every program has: prints the
// printout and exits, if there is one.
void parse_or_exit(CLI::App& app, int argc, char** argv);

}  // namespace ontime::flags
