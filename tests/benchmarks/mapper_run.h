#pragma once
// Drives a mapper over a whole file as the runner does: blocks of 128 KiB, whole records, one segment per split.

#include <string>

#include "common/app/application.h"

namespace ontime::benchmarks {

// Maps `path` with a mapper of `application` and its default parameters, and drops the output. Returns the number of
// bytes written. Failures end the process with a message.
std::uint64_t map_file(const app::Application& application, const std::string& path, std::uint64_t split_bytes);

}  // namespace ontime::benchmarks
