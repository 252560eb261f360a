#include "tests/faults/planted/planted.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace ontime {
namespace {

std::string known(std::string_view error) {
  const std::vector<std::string_view> all = planted_errors();
  if (error.empty() || std::find(all.begin(), all.end(), error) != all.end()) return std::string(error);
  std::fprintf(stderr, "There is no planted error '%s'; tests/faults/planted has one patch for each.\n",
               std::string(error).c_str());
  std::exit(2);
}

std::string& chosen() {
  static const char* const named = std::getenv("ONTIME_PLANTED");
  static std::string error = known(named != nullptr ? named : "");
  return error;
}

}  // namespace

std::vector<std::string_view> planted_errors() {
  std::vector<std::string_view> errors;
  for (std::string_view rest = ONTIME_PLANTED_ERRORS; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    errors.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return errors;
}

bool planted(std::string_view error) { return error == chosen(); }

void plant(std::string_view error) { chosen() = known(error); }

}  // namespace ontime
