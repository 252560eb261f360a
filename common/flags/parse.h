#pragma once
// From arguments to options, or to what is printed instead. No text of CLI11 or of its INI reader gets through.

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ontime::flags {

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

constexpr int kBadUsage = 2;

// Help and version go to stdout with code 0, a complaint about the usage to stderr with kBadUsage.
struct Printout {
  int exit_code = 0;
  std::string text;
};

// Adds --config, a file with lines NAME=VALUE, each as good as the flag --NAME.
void add_config_file(CLI::App& app);

// Parses `arguments`, which do not hold the program's name, and fills the options of `app`. Nothing if that went well.
// Behind `--complete` stand words that a shell wants completed (describe.h).
std::optional<Printout> parse(CLI::App& app, std::vector<std::string> arguments);

// The same for the main function of a program for developers, with the flags that every program has: prints the
// printout and exits, if there is one.
void parse_or_exit(CLI::App& app, int argc, char** argv);

// What a main function ends with: the code, or 1 with a sentence if not all of stdout could be written. An answer that
// goes to a full disk must not pass for a whole one.
int with_everything_written(const std::string& program, int exit_code);

}  // namespace ontime::flags
