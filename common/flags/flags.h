#pragma once
// Options for CLI11 that refuse what they cannot use. Each refusal names the flag, the value and what is wanted, and
// ends as bad usage: see parse.h.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/time.h"

namespace ontime::flags {

using Settings = std::map<std::string, std::string, std::less<>>;

// What every program has: help in one form, `--version`, and `--man`, its manual page under the name `program`.
void add_standard_flags(CLI::App& app, const std::string& program);

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
// A repeatable KEY=VALUE, each key once.
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
  return value == 0 ? option : option->default_str(std::to_string(value));
}

template <class Whole>
CLI::Option* add_whole(CLI::App& app, const std::string& name, std::optional<Whole>& value, Range range,
                       const std::string& help) {
  return add_whole(
      app, name, [&value](std::uint64_t number) { value = static_cast<Whole>(number); }, within<Whole>(range), help);
}

}  // namespace ontime::flags
