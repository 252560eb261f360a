#pragma once
// Set-up of spdlog: events, not prose, with ids as fields in a fixed order:
//   attempt_launched job=job-1 task=job-1/t00003 attempt=job-1/t00003/a0 node=node-2 begin=0 end=1048576
// Programs call set_up() once; modules include spdlog/spdlog.h and log. Nothing in scheduler/ logs.

#include <string>

#include "common/base/result.h"

namespace ontime::log {

struct Options {
  std::string level = "info";   // trace debug info warning error off
  std::string format = "text";  // text or json
  std::string file;             // empty: stderr
  std::string program;          // shown on every line
};

// BadInput for an unknown level or format, Failed if the file cannot be opened.
Status set_up(const Options& options);

}  // namespace ontime::log
