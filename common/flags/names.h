#pragma once
// Names of flags, for suggestions. Private to this folder.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace ontime::flags {

// The long names without their dashes.
std::vector<std::string> flag_names(const CLI::App& app);

// "; did you mean '--output'?" with `before` in front of the name; empty if no name is near.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& names,
                         const std::string& before = "");

}  // namespace ontime::flags
