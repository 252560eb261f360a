#pragma once
// The table of what `run` and `submit` may say of how a job is run: each setting's flag, with its help and how it is
// read, and how JSON shows it.

#include <nlohmann/json_fwd.hpp>

#include "cli/command.h"
#include "common/protocol/types.pb.h"

namespace CLI {
class App;
}

namespace ontime::cli {

// The flags, in the order of --help. REQUIRES: `job` outlives `app`.
void add_setting_flags(CLI::App& app, JobOptions& job);

// One entry for each setting that is shown.
nlohmann::ordered_json settings_value(const wire::JobSettings& settings);

}  // namespace ontime::cli
