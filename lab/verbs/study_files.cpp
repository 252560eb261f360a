#include "lab/verbs/study_files.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "cli/text_file.h"
#include "common/files/file_system.h"
#include "lab/results/page.h"

namespace ontime::lab {

using namespace cli;
namespace fs = std::filesystem;
namespace {

constexpr const char* kIndexTitle = "# Reproduction";

// The last two folders and the name: short, and the same wherever the tree lies.
std::string short_path(const std::string& path) {
  const fs::path absolute = fs::absolute(path).lexically_normal();
  for (fs::path root = absolute.parent_path(); root != root.root_path(); root = root.parent_path()) {
    if (fs::exists(root / "CMakePresets.json")) return absolute.lexically_relative(root).string();
  }
  return absolute.filename().string();
}

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace

Status draw(const std::string& script, const std::string& script_path) {
  if (auto written = files::write_file(script_path, script); !written) return written;
  std::string program = "gnuplot";
  std::string path = script_path;
  const std::array<char*, 3> arguments{program.data(), path.data(), nullptr};
  pid_t child = 0;
  if (posix_spawnp(&child, "gnuplot", nullptr, nullptr, arguments.data(), environ) != 0) {
    return failed("gnuplot cannot be started");
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0) return failed("gnuplot cannot draw " + script_path + "; its words are above");
  std::error_code ignored;
  fs::remove(script_path, ignored);
  return {};
}

bool has_gnuplot() {
  const char* variable = std::getenv("PATH");
  std::istringstream folders(variable == nullptr ? "" : variable);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((folder + "/gnuplot").c_str(), X_OK) == 0) return true;
  }
  return false;
}

Result<bool> write_study(const std::string& directory, const std::string& scenario_path, const Study& study,
                         const StudyResult& runs) {
  if (auto made = make_directory(directory); !made) return made.error();
  const bool has_groups = study.by_group == ByGroup::Mean;
  const StudyResult result = has_groups ? mean_over_groups(study, runs) : runs;
  const std::string stem = fs::path(scenario_path).stem().string();
  const std::string base = directory + "/" + stem;
  const std::string script = plot_of(study, result, base + ".svg");
  const bool draws = !script.empty() && has_gnuplot();
  if (draws) {
    if (auto drawn = draw(script, base + ".gnuplot"); !drawn) return drawn.error();
  }
  const PageNames names{stem, short_path(scenario_path), draws};
  const std::pair<const char*, std::string> texts[]{
      {".md", page_of(study, result, names)},
      {".csv", csv_of(result)},
      {"-curves.csv", curves_csv_of(study, result)},
      {"-groups.csv", has_groups ? csv_of(runs) : ""},
      {"-forecasts.csv", study.forecasts.empty() ? "" : forecasts_csv_of(study, result)},
  };
  for (const auto& [ending, text] : texts) {
    if (text.empty()) continue;
    if (auto done = files::write_file(base + ending, text); !done) return done.error();
  }
  return draws || script.empty();
}

Status write_index(const std::string& directory) {
  std::vector<fs::path> pages;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    if (entry.path().extension() == ".md" && entry.path().filename() != "README.md") pages.push_back(entry.path());
  }
  if (error) return failed("cannot list " + directory + ": " + error.message());
  std::sort(pages.begin(), pages.end());
  std::string text = std::string(kIndexTitle) +
                     "\n\nWhat papers have printed beside what the simulator gives, a page for each table or figure. "
                     "`scripts/reproduce`\nwrites them anew.\n\n";
  for (const fs::path& page : pages) {
    const std::string title = first_line(page);
    const std::string name = page.filename().string();
    text += "* [" + (title.starts_with("# ") ? title.substr(2) : name) + "](" + name + ")\n";
  }
  return files::write_file(directory + "/README.md", text);
}

}  // namespace ontime::lab
