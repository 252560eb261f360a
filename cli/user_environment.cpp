#include "cli/command_line.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "common/base/wording.h"
#include "common/files/file_system.h"
#include "common/net/token.h"

namespace ontime::cli {
namespace {

const std::vector<std::string> kVariables{"ONTIME_APP_PATH", "ONTIME_CACHE_DIR", "ONTIME_MASTER", "ONTIME_TLS_DIR",
                                          "ONTIME_TOKEN"};

std::string value_of(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string path_of_file() {
  const std::string configuration = value_of("XDG_CONFIG_HOME");
  const std::string home = value_of("HOME");
  if (!configuration.empty()) return configuration + "/ontime/environment";
  return home.empty() ? "" : home + "/.config/ontime/environment";
}

}  // namespace

Status apply_user_environment() {
  const std::string path = path_of_file();
  std::ifstream file(path);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    const std::string where = path + ", line " + std::to_string(number) + ": ";
    const auto equals = line.find('=');
    const std::string name = line.substr(0, equals);
    if (equals == line.npos) return bad_input(where + "write NAME=VALUE instead of '" + line + "'");
    if (std::find(kVariables.begin(), kVariables.end(), name) == kVariables.end()) {
      return bad_input(where + "there is no variable '" + name + "'; " + advice(name, kVariables));
    }
    if (name == "ONTIME_TOKEN") {
      if (Status status = net::check_secret(path, "file"); !status) return status.error();
    }
    setenv(name.c_str(), line.c_str() + equals + 1, 0);
  }
  return {};
}

std::string prepare_access_points() {
  std::string directory = value_of("ONTIME_CACHE_DIR");
  if (directory.empty() && std::getenv("ONTIME_CACHE_DIR") != nullptr) return "";
  if (directory.empty() && !value_of("XDG_CACHE_HOME").empty()) directory = value_of("XDG_CACHE_HOME") + "/ontime";
  if (directory.empty() && !value_of("HOME").empty()) directory = value_of("HOME") + "/.cache/ontime";
  if (directory.empty() || files::make_directories(directory) != 0) return "";
  return directory + "/access-points";
}

}  // namespace ontime::cli
