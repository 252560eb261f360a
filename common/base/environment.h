#pragma once
// The environment of this process and of those that it starts.

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace ontime {

// The value of this variable; "" also if there is none.
inline std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

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

// What exec and spawn take as arguments or as an environment; good as long as the strings live where they are.
inline std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace ontime
