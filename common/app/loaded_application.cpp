#include "common/app/loaded_application.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "common/base/check.h"
#include "common/base/program_path.h"
#include "common/base/wording.h"

namespace ontime::app {
namespace {

namespace fs = std::filesystem;

// Why others may change what lies there; empty if they may not.
std::string weakness(const struct stat& file, const Keeper& keeper) {
  struct stat program {};
  const bool has_program = ::stat("/proc/self/exe", &program) == 0;
  const bool is_owned =
      file.st_uid == 0 || file.st_uid == keeper.user || (has_program && file.st_uid == program.st_uid);
  if (!is_owned) return "belongs to user " + std::to_string(file.st_uid);
  const bool is_shared = S_ISDIR(file.st_mode) && (file.st_mode & S_ISVTX) != 0;
  if (is_shared) return {};
  if ((file.st_mode & S_IWOTH) != 0) return "may be written by everybody";
  const bool is_own_group =
      file.st_gid == 0 || file.st_gid == keeper.group || (has_program && file.st_gid == program.st_gid);
  if ((file.st_mode & S_IWGRP) != 0 && !is_own_group) {
    return "may be written by the group " + std::to_string(file.st_gid);
  }
  return {};
}

// `loaded`: "application PATH"
Status check_kept_place(const fs::path& path, const std::string& loaded, const Keeper& keeper) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) {
    return bad_input("cannot examine the " + loaded + ": " + std::strerror(errno));
  }
  const std::string why = weakness(file, keeper);
  if (why.empty()) return {};
  return bad_input("the " + loaded + " is not run, because others could change it: " + path.string() + " " + why +
                   "; give it to root or to the user that runs it, and take the right to write from others");
}

constexpr std::string_view kPrefix = "libontime_app_";
constexpr std::string_view kSuffix = ".so";

Error not_found(std::string_view name, const std::vector<std::string>& directories) {
  const std::vector<std::string> known = list_applications(directories);
  std::string message = "there is no application '" + std::string(name) + "' in " + listed(directories);
  message += known.empty() ? " (nor any other); name its directory with --app-dir or $ONTIME_APP_PATH"
                           : "; " + advice(name, known);
  return bad_input(std::move(message));
}

// The file that holds the application, or nothing.
std::string find_file(std::string_view name, const std::vector<std::string>& directories) {
  const std::string file_name = std::string(kPrefix) + std::string(name) + std::string(kSuffix);
  for (const std::string& directory : directories) {
    std::string path = directory + "/" + file_name;
    if (::access(path.c_str(), R_OK) == 0) return path;
  }
  return {};
}

std::string name_of_path(const std::string& path) {
  const fs::path file(path);
  std::string name = application_name(file.filename().string());
  return name.empty() ? file.stem().string() : name;
}

// What the shared object offers, made by ONTIME_APPLICATION.
Result<const Application*> open_application(const std::string& path) {
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return bad_input("cannot load the application " + path + ": " + ::dlerror());
  const auto* interface = static_cast<const std::uint32_t*>(::dlsym(library, "ontime_application_interface"));
  void* const maker = ::dlsym(library, "ontime_application");
  if (interface == nullptr || maker == nullptr) {
    return bad_input(path + " is no application of ontime: it lacks ONTIME_APPLICATION(...)");
  }
  if (*interface != kApplicationInterface) {
    return bad_input("the application " + path + " was built for interface " + std::to_string(*interface) +
                     ", this program has interface " + std::to_string(kApplicationInterface) + "; build it again");
  }
  const Application* const application = reinterpret_cast<const Application* (*)()>(maker)();
  if (application == nullptr) return bad_input("the application " + path + " offers nothing");
  return application;
}

}  // namespace

Status check_kept(const std::string& path, const Keeper& keeper, const std::string& what) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error) return bad_input("cannot examine the " + what + " " + path + ": " + error.message());
  for (const fs::path& place : {real, real.parent_path(), fs::absolute(path, error).parent_path()}) {
    if (Status status = check_kept_place(place, what + " " + path, keeper); !status) return status;
  }
  return {};
}

std::string application_name(std::string_view file_name) {
  if (file_name.size() <= kPrefix.size() + kSuffix.size()) return {};
  if (!file_name.starts_with(kPrefix) || !file_name.ends_with(kSuffix)) return {};
  return std::string(file_name.substr(kPrefix.size(), file_name.size() - kPrefix.size() - kSuffix.size()));
}

const std::string& ParameterValues::get(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) {
    const std::string message = "the application asks for \"" + std::string(name) + "\", which it has not declared";
    ONTIME_CHECK(found != values_.end(), message.c_str());
  }
  return found->second;
}

Result<LoadedApplication> LoadedApplication::load(std::string_view name, const std::vector<std::string>& directories,
                                                  const std::optional<Keeper>& keeper) {
  const bool is_path = name.find('/') != std::string_view::npos;
  std::string path = is_path ? std::string(name) : find_file(name, directories);
  if (path.empty()) return not_found(name, directories);
  std::string short_name = is_path ? name_of_path(path) : std::string(name);
  if (keeper) {
    if (Status kept = check_kept(path, *keeper); !kept) return std::move(kept).error();
  }
  try {
    auto application = open_application(path);
    if (!application) return std::move(application).error();
    return LoadedApplication(std::move(short_name), std::move(path), *application);
  } catch (const std::exception& e) {  // its static objects or its constructor
    return bad_input("the application " + path + " cannot start: " + e.what());
  }
}

Result<ParameterValues> with_defaults(const std::string& whose, std::vector<Parameter> declared,
                                      const std::map<std::string, std::string, std::less<>>& given) {
  std::map<std::string, std::string, std::less<>> values;
  for (Parameter& parameter : declared) values.emplace(std::move(parameter.name), std::move(parameter.default_value));
  for (const auto& [name, value] : given) {
    const auto known = values.find(name);
    if (known == values.end()) {
      std::vector<std::string> names;
      for (const auto& entry : values) names.push_back(entry.first);
      return bad_input(whose + " has no parameter '" + name + "'; " +
                       (names.empty() ? "it takes none" : advice(name, names)));
    }
    known->second = value;
  }
  return ParameterValues(std::move(values));
}

Result<ParameterValues> LoadedApplication::complete(
    const std::map<std::string, std::string, std::less<>>& given) const {
  try {
    auto complete = with_defaults("the application " + name_, application_->parameters(), given);
    if (complete) application_->validate(*complete);
    return complete;
  } catch (const std::exception& e) {
    return bad_input("the application " + name_ + " refuses its parameters: " + e.what());
  }
}

std::vector<std::string> default_application_directories() {
  std::vector<std::string> directories;
  if (const char* path = std::getenv("ONTIME_APP_PATH"); path != nullptr) {
    std::string_view rest(path);
    while (!rest.empty()) {
      const std::string_view directory = rest.substr(0, rest.find(':'));
      if (!directory.empty()) directories.emplace_back(directory);
      rest.remove_prefix(std::min(rest.size(), directory.size() + 1));
    }
  }
  const fs::path program = program_path();
  if (!program.empty()) directories.push_back((program.parent_path().parent_path() / "lib/ontime/apps").string());
  return directories;
}

std::vector<std::string> list_applications(const std::vector<std::string>& directories) {
  std::set<std::string> names;
  for (const std::string& directory : directories) {
    std::error_code error;
    for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
      if (std::string name = application_name(at->path().filename().string()); !name.empty()) names.insert(name);
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace ontime::app
