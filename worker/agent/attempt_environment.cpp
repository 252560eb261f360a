#include <algorithm>
#include <array>
#include <string_view>

#include "worker/agent/options.h"

namespace ontime::worker {
namespace {

// The last are for sanitizers, which a runner may be built with.
constexpr std::array<std::string_view, 11> kNeeded{"PATH",         "LANG",          "LANGUAGE",        "LC_*",
                                                   "TZ",           "TMPDIR",        "LD_LIBRARY_PATH", "ASAN_OPTIONS",
                                                   "LSAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"};
constexpr std::array<std::string_view, 3> kSecret{"ONTIME_TOKEN*", "ONTIME_TLS_*", "ONTIME_CONFIG"};
// The worker's keys: attempts read what it signs for them. Whose command needs them all the same names them.
constexpr std::array<std::string_view, 5> kOnlyIfNamed{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
                                                       "AWS_SESSION_TOKEN", "AWS_WEB_IDENTITY_TOKEN_FILE",
                                                       "ONTIME_HDFS_TOKEN_FILE"};

bool fits(std::string_view name, std::string_view pattern) {
  if (!pattern.ends_with('*')) return name == pattern;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

template <class Patterns>
bool fits_any(std::string_view name, const Patterns& patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const auto& pattern) { return fits(name, pattern); });
}

bool is_named(std::string_view name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::vector<std::string> environment_of_attempts(const char* const* environment, const std::vector<std::string>& more) {
  std::vector<std::string> chosen;
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    const std::string_view name = entry.substr(0, entry.find('='));
    if (fits_any(name, kSecret) || (fits_any(name, kOnlyIfNamed) && !is_named(name, more))) continue;
    if (fits_any(name, kNeeded) || fits_any(name, more)) chosen.emplace_back(entry);
  }
  return chosen;
}

}  // namespace ontime::worker
