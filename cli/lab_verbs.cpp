#include "cli/lab_verbs.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "common/base/environment.h"
#include "common/base/program_path.h"

namespace ontime::cli {
namespace {

constexpr const char* kProgram = "ontime-lab";

constexpr std::array kVerbs{
    LabVerb{"simulate", "Run scenarios or studies in virtual time and compare policies"},
    LabVerb{"replay", "Feed a recording to the scheduler again; it must decide the same"},
    LabVerb{"plan", "Predict a job before it runs: time, chance to meet its deadline, cost"},
    LabVerb{"experiment", "Compare policies on the same jobs and the same stragglers"},
    LabVerb{"import", "Make a scenario of logs that Spark, Hadoop and others have written"},
    LabVerb{"compare", "Compare the results of two experiments, with confidence intervals"},
};

// Empty: it is not installed.
std::string find_program() {
  const auto folder = program_path().parent_path();
  if (folder.empty()) return {};
  for (const auto& path : {folder / kProgram, folder.parent_path() / "libexec" / "ontime" / kProgram}) {
    if (access(path.c_str(), X_OK) == 0) return path.string();
  }
  return {};
}

// A package need not have it, and there is nothing to build it in where one is installed.
std::string how_to_get_it() {
  std::error_code error;
  const auto folder = program_path().parent_path().parent_path();
  const std::string build = "cmake --build build/release --target " + std::string(kProgram);
  if (std::filesystem::exists(folder / "CMakeCache.txt", error)) return "build it: '" + build + "'";
  return "the Python package and the archives of programs leave it out: get the sources, and run 'cmake --preset "
         "release && " +
         build + "' there";
}

}  // namespace

std::span<const LabVerb> lab_verbs() { return kVerbs; }

const LabVerb* find_lab_verb(std::string_view name) {
  const auto found = std::find_if(kVerbs.begin(), kVerbs.end(), [&](const LabVerb& verb) { return verb.name == name; });
  return found == kVerbs.end() ? nullptr : &*found;
}

const LabVerb* lab_verb_of(const std::vector<std::string>& arguments) {
  std::size_t at = 0;
  while (at < arguments.size() && (arguments[at] == "--complete" || arguments[at] == "help")) ++at;
  return at < arguments.size() ? find_lab_verb(arguments[at]) : nullptr;
}

Error become_lab(const LabVerb& verb, const std::vector<std::string>& arguments) {
  const std::string path = find_program();
  if (path.empty()) {
    return bad_input("'" + std::string(verb.name) + "' needs the program " + kProgram +
                     ", which is not installed here; " + how_to_get_it());
  }
  return become(path, arguments);
}

Error become(const std::string& path, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = arguments;
  words.insert(words.begin(), path);
  execv(path.c_str(), pointers_to(words).data());
  return failed("cannot start " + path + ": " + std::strerror(errno));
}

}  // namespace ontime::cli
