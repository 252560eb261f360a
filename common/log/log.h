#pragma once
// Set-up of spdlog: events, not prose, with ids as fields in a fixed order:
//   attempt_launched job=job-1 task=job-1/t00003 attempt=job-1/t00003/a0 node=node-2 begin=0 end=1048576
// Programs call set_up() once; modules include spdlog/spdlog.h and log. Nothing in scheduler/ logs. Logging never waits
// for the disk or the pipe that it goes to: a process that is killed may lose its last lines.

#include <chrono>
#include <cstdint>
#include <string>

#include "common/base/result.h"
#include "common/base/time.h"

namespace ontime::log {

struct Options {
  std::string level = "info";   // trace debug info warning error off
  std::string format = "text";  // text or json
  std::string file;             // empty: stderr
  std::string program;          // shown on every line
};

// BadInput for an unknown level or format, or if the file cannot be opened.
Status set_up(const Options& options);

// How long the end of a program, or a flush, waits for a log that is not being written.
inline constexpr Duration kLastWords = std::chrono::seconds(1);

// That were dropped since the program started, because the log could not be written as fast: what the log tells of
// too, as log_lines_dropped.
std::uint64_t lines_dropped();

// To standard error at once, beside the log, unless nobody reads it: a pipe that is full would hold up the end of a
// program. At most 4 KiB.
void say(const std::string& text);

}  // namespace ontime::log
