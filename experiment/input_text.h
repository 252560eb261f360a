#pragma once
// Text to map where an experiment names no files: lines of made-up words, few of them frequent, the same everywhere.

#include <cstdint>
#include <string>

namespace ontime::experiment {

// Exactly so many bytes, ending in a line end. A longer text begins with the same lines.
std::string input_text(std::uint64_t bytes);

}  // namespace ontime::experiment
