#pragma once
// The environment of programs that this one starts.

#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace ontime {

// This process's environment with `changes`, entries NAME=VALUE, in place of what has the same names.
inline std::vector<std::string> environment_with(const std::vector<std::string>& changes) {
  std::vector<std::string> merged = changes;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto name = text.substr(0, text.find('=') + 1);
    const bool is_changed = std::any_of(changes.begin(), changes.end(),
                                        [&](const std::string& change) { return change.starts_with(name); });
    if (!is_changed) merged.emplace_back(text);
  }
  return merged;
}

}  // namespace ontime
