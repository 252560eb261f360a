#pragma once
// Groups of options that several verbs share, declared with CLI11. Only command_line*.cpp include this.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/command.h"
#include "common/flags/flags.h"

namespace ontime::cli {


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
