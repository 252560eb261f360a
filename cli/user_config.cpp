#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "cli/command_line.h"
#include "cli/job_fields.h"
#include "common/base/environment.h"
#include "common/base/result.h"
#include "common/base/units.h"
#include "common/base/wording.h"
#include "common/files/file_system.h"
#include "common/net/masters.h"
#include "common/net/token.h"
#include "master/inputs/input_listing.h"
#include "scheduler/policies/policy.h"

namespace ontime::cli {
namespace {

Status check_deadline(const std::string& text) {
  JobOptions ignored;
  return read_deadline(text, ignored);
}

Status check_master(const std::string& text) {
  const auto masters = net::parse_masters(text, 1);
  return masters ? Status() : masters.error();
}

Status check_policy(const std::string& text) {
  const auto choice = scheduler::read_policy(text);
  return choice ? Status() : choice.error();
}

Status check_growing(const std::string& text) {
  return text == "yes" || text == "no" ? Status() : bad_input("write yes or no instead of '" + text + "'");
}

Status check_skip(const std::string& text) {
  const auto flaws = master::read_flaws(text);
  return flaws ? Status() : flaws.error();
}

struct Setting {
  std::string name;
  const char* variable;
  Status (*check)(const std::string& value) = nullptr;
  const char* other_variable = nullptr;  // says the same in another way
};

const std::vector<Setting> kSettings{
    {"app-path", "ONTIME_APP_PATH"},
    {"cache-dir", "ONTIME_CACHE_DIR"},
    {"deadline", "ONTIME_DEADLINE", check_deadline},
    {"exclude", "ONTIME_EXCLUDE"},
    {"files-from", "ONTIME_FILES_FROM"},
    {"growing", "ONTIME_GROWING", check_growing},
    {"master", "ONTIME_MASTER", check_master},
    {"policy", "ONTIME_POLICY", check_policy},
    {"skip", "ONTIME_SKIP", check_skip},
    {"tls-dir", "ONTIME_TLS_DIR"},
    {"tls-ca", "ONTIME_TLS_CA", nullptr, "ONTIME_TLS_DIR"},
    {"tls-cert", "ONTIME_TLS_CERT", nullptr, "ONTIME_TLS_DIR"},
    {"tls-key", "ONTIME_TLS_KEY", nullptr, "ONTIME_TLS_DIR"},
    {"token", "ONTIME_TOKEN"},
    {"token-file", "ONTIME_TOKEN_FILE", nullptr, "ONTIME_TOKEN"},
};

// The file of the user, if there is one. One that $ONTIME_CONFIG names must be there; an empty name is no file. Earlier
// releases read another file: without a word, its user would talk to another cluster.
Result<std::optional<std::string>> path_of_file() {
  using Path = std::optional<std::string>;
  if (std::getenv("ONTIME_CONFIG") != nullptr) {
    const std::string named = environment_variable("ONTIME_CONFIG");
    return named.empty() ? Path() : Path(named);
  }
  std::string directory = environment_variable("XDG_CONFIG_HOME");
  if (directory.empty() && !environment_variable("HOME").empty()) directory = environment_variable("HOME") + "/.config";
  if (directory.empty()) return Path();
  const std::string path = directory + "/ontime/config";
  const std::string older = directory + "/ontime/environment";
  std::error_code ignored;  // what this user may not see is not the user's
  if (std::filesystem::exists(path, ignored)) return Path(path);
  if (!std::filesystem::exists(older, ignored)) return Path();
  return bad_input(older + " is not read any more: write its lines to " + path +
                   ", with names such as master instead of ONTIME_MASTER, and remove it");
}

bool is_quoted(const std::string& text) { return text.size() > 1 && text.front() == '"' && text.back() == '"'; }

// The lines of one file, which may stand in any order.
class ConfigFile {
 public:
  explicit ConfigFile(std::string path) : path_(std::move(path)) {}

  Status take(const std::string& line) {
    const auto equals = line.find('=');
    if (equals == line.npos) return bad_input("write NAME=VALUE instead of '" + line + "'");
    const std::string name(trimmed(std::string_view(line).substr(0, equals)));
    std::string value(trimmed(std::string_view(line).substr(equals + 1)));
    if (is_quoted(value)) value = value.substr(1, value.size() - 2);
    const auto setting =
        std::find_if(kSettings.begin(), kSettings.end(), [&](const Setting& known) { return known.name == name; });
    if (setting == kSettings.end())
      return bad_input("there is no setting '" + name + "'; " + advice(name, names_of(kSettings)));
    if (value.empty()) return bad_input("'" + name + "' needs a value: " + name + "=VALUE");
    if (setting->check != nullptr) {
      if (Status status = setting->check(value); !status) return bad_input(name + ": " + status.error().message);
    }
    if (name == "token") {
      if (Status status = net::check_secret(path_, "file"); !status) return status.error();
    }
    const bool is_new = values_.emplace(setting->variable, value).second;
    return is_new ? Status() : bad_input("'" + name + "' is given twice; give it once");
  }

  void set_variables() const {
    // First of all, which of them the caller has set.
    std::vector<std::string> left_alone;
    for (const Setting& setting : kSettings) {
      if (setting.other_variable != nullptr && std::getenv(setting.other_variable) != nullptr)
        left_alone.emplace_back(setting.variable);
    }
    // Another directory is another cluster's, with a token of its own.
    if (!environment_variable("ONTIME_TLS_DIR").empty())
      left_alone.insert(left_alone.end(), {"ONTIME_TOKEN", "ONTIME_TOKEN_FILE"});
    for (const auto& [variable, value] : values_) {
      if (std::find(left_alone.begin(), left_alone.end(), variable) == left_alone.end())
        setenv(variable.c_str(), value.c_str(), 0);
    }
  }

 private:
  std::string path_;
  std::map<std::string, std::string> values_;  // by variable
};

}  // namespace

Status apply_user_config() {
  const auto found = path_of_file();
  if (!found) return found.error();
  const std::optional<std::string>& path = *found;
  if (!path) return {};
  const auto unreadable = [&] { return bad_input("cannot read " + *path + ": " + std::strerror(errno)); };
  std::ifstream file(*path);
  if (!file) return unreadable();
  ConfigFile config(*path);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    line = std::string(trimmed(line));
    if (line.empty() || line.front() == '#') continue;
    if (Status status = config.take(line); !status)
      return bad_input(*path + ", line " + std::to_string(number) + ": " + status.error().message);
  }
  if (file.bad()) return unreadable();  // such as a directory
  config.set_variables();
  return {};
}

std::string prepare_access_points() {
  std::string directory = environment_variable("ONTIME_CACHE_DIR");
  if (directory.empty() && std::getenv("ONTIME_CACHE_DIR") != nullptr) return "";
  if (directory.empty() && !environment_variable("XDG_CACHE_HOME").empty())
    directory = environment_variable("XDG_CACHE_HOME") + "/ontime";
  if (directory.empty() && !environment_variable("HOME").empty())
    directory = environment_variable("HOME") + "/.cache/ontime";
  if (directory.empty() || files::make_directories(directory) != 0) return "";
  return directory + "/access-points";
}

}  // namespace ontime::cli
