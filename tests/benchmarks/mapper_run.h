#pragma once
// Drives a mapper over a whole file as the runner does: blocks of 128 KiB, whole records, one segment per split.

#include <map>
#include <string>

#include "common/app/application.h"

namespace ontime::benchmarks {

using Settings = std::map<std::string, std::string, std::less<>>;

// Maps `path` with a mapper of `application`, with its default for each parameter that `settings` does not name, and
// drops the output. Returns the number of bytes written. Failures end the process with a message.
std::uint64_t map_file(const app::Application& application, const std::string& path, std::uint64_t split_bytes,
                       const Settings& settings);

}  // namespace ontime::benchmarks
