#pragma once
// What `--version` prints, the same for all programs.

#include <string>

namespace ontime {

// "ontime-master 0.1.0", and below it of which commit, by which compiler and with which libraries it was built.
std::string version_of(const std::string& program);

}  // namespace ontime
