#pragma once
// The table of what `run` and `submit` may say of how a job is run: each setting's flag, with its help and how it is
// read, and how JSON and text show it.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "common/protocol/client.pb.h"

namespace CLI {
class App;
}

namespace ontime::cli {

// The flags, in the order of --help. REQUIRES: `job` outlives `app`.
void add_setting_flags(CLI::App& app, JobOptions& job);

// What --deadline may be: a duration, or a clock time of this machine.
Status read_deadline(const std::string& text, JobOptions& job);

// One entry for each setting that is shown.
nlohmann::ordered_json settings_value(const wire::JobSettings& settings);
// The title and the text of each; a text may be empty.
std::vector<std::pair<std::string, std::string>> settings_lines(const wire::JobSummary& job);

}  // namespace ontime::cli
