#pragma once
// Groups of options that several verbs share, declared with CLI11. Only command_line*.cpp include this.

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"

namespace ontime::cli {

// One option whose text is a size ("128MiB") or a duration ("90s"); a bad text is a usage error that says why.
CLI::Option* add_size(CLI::App& app, const std::string& name, std::uint64_t& value, const std::string& help);
CLI::Option* add_duration(CLI::App& app, const std::string& name, Duration& value, const std::string& help);
CLI::Option* add_duration(CLI::App& app, const std::string& name, std::optional<Duration>& value,
                          const std::string& help);
// A repeatable KEY=VALUE; a key given twice keeps the last value.
CLI::Option* add_settings(CLI::App& app, const std::string& name, Settings& settings, const std::string& help);
// A whole number from `least` on.
CLI::Option* add_count(CLI::App& app, const std::string& name, std::uint32_t& value, std::uint32_t least,
                       const std::string& help);

CLI::Validator one_of(std::vector<std::string> choices);
std::shared_ptr<CLI::FormatterBase> make_formatter();

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
