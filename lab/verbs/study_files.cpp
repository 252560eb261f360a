#include "lab/verbs/study_files.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include "cli/text_file.h"
#include "common/files/file_system.h"
#include "lab/results/page.h"
#include "lab/verbs/python.h"

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

Status write_study(const std::string& directory, const std::string& scenario_path, const Study& study,
                   const StudyResult& runs) {
  if (auto made = make_directory(directory); !made) return made;
  const bool has_groups = study.by_group == ByGroup::Mean;
  const StudyResult result = has_groups ? mean_over_groups(study, runs) : runs;
  const std::string stem = fs::path(scenario_path).stem().string();
  const std::string base = directory + "/" + stem;
  const std::pair<const char*, std::string> tables[]{
      {".csv", csv_of(result)},
      {"-curves.csv", curves_csv_of(study, result)},
      {"-groups.csv", has_groups ? csv_of(runs) : ""},
      {"-forecasts.csv", study.forecasts.empty() ? "" : forecasts_csv_of(study, result)},
  };
  for (const auto& [ending, text] : tables) {
    if (text.empty()) continue;
    if (auto done = files::write_file(base + ending, text); !done) return done;
  }
  const bool has_figure = study.figure.kind != Figure::Kind::None && !result.rows.empty();
  const auto drawn = has_figure ? run_python({"figure", scenario_path, directory}) : cli::ExitCode::Failed;
  if (!drawn)
    std::fprintf(stderr, "%s: no figure was drawn: %s\n", scenario_path.c_str(), drawn.error().message.c_str());
  const bool is_there = drawn && *drawn == cli::ExitCode::Done;
  return files::write_file(base + ".md", page_of(study, result, {stem, short_path(scenario_path), is_there}));
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
