#pragma once
// What is made of a program's flags besides its help, so that there is one description of them.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace ontime::flags {

// "ontime certs node"
std::string full_name(const CLI::App& app);

// In roff, for man(1): the program's flags, then every verb with its own.
std::string man_page(const CLI::App& app, const std::string& program);

// Lines "WORD<tab>DESCRIPTION" of what may stand in place of the last word, which may be empty. No line: a file, or
// something that nobody can guess. The first word is the one behind the program's name.
std::string completions(CLI::App& app, std::vector<std::string> words);

}  // namespace ontime::flags
