#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>

#include "cli/text_file.h"
#include "common/store/access.h"
#include "lab/experiment/rows.h"
#include "lab/experiment/summary.h"
#include "lab/results/writing.h"
#include "lab/verbs/command.h"

namespace ontime::lab {

using namespace cli;
namespace {

constexpr std::uint64_t kRowsBytesMax = 1u << 30;

Error holds_none(const std::string& directory) {
  return bad_input("'" + directory + "' holds no finished experiment: there is no jobs.csv");
}

Result<std::string> text_in(const std::string& directory) {
  const std::string path = directory + (directory.ends_with('/') ? "" : "/") + "jobs.csv";
  std::error_code error;
  if (!store::is_name(directory) && !std::filesystem::exists(path, error)) return holds_none(directory);
  if (!store::is_name(directory)) return read_text_file(path);
  const auto name = store::parse_name(path);
  if (!name) return name.error();
  auto text = store::open(*name)->read(name->key, kRowsBytesMax);
  if (text) return std::move(*text);
  if (text.error().status == 404) return holds_none(directory);
  return failed("cannot read '" + path + "': " + text.error().message);
}

Result<std::vector<experiment::JobRow>> jobs_of(const std::string& directory) {
  const auto text = text_in(directory);
  if (!text) return text.error();
  auto jobs = read_csv<experiment::JobRow>("jobs.csv", *text);
  if (!jobs) return bad_input(directory + "/" + jobs.error().message);
  return jobs;
}

std::string with_sign(double value, int digits) { return (value >= 0 ? "+" : "") + fixed(value, digits); }

void add_row(Grid& grid, const std::string& policy, const std::string& what, const experiment::Difference& difference,
             int digits) {
  const auto& change = difference.change;
  const std::string interval =
      change.has_interval() ? with_sign(change.low, digits) + " to " + with_sign(change.high, digits) : "-";
  grid.lines.push_back({policy, what, fixed(difference.before.value, digits), fixed(difference.after.value, digits),
                        with_sign(change.value, digits), interval, difference.is_clear() ? "yes" : ""});
}

}  // namespace

Result<ExitCode> execute(const CompareCommand& command) {
  const auto before = jobs_of(command.before);
  if (!before) return before.error();
  const auto after = jobs_of(command.after);
  if (!after) return after.error();
  const auto all = experiment::compare(*before, *after);
  if (all.empty()) return bad_input("the two results have no policy in common");
  if (command.json) {
    std::fputs(comparison_json(all).c_str(), stdout);
    return ExitCode::Done;
  }
  Grid grid{{"policy", "", "before", "after", "change", "95 %", "clear"}, 2};
  for (const auto& comparison : all) {
    add_row(grid, comparison.policy, "PoCD", comparison.pocd, 3);
    add_row(grid, "", "time s", comparison.time, 2);
    add_row(grid, "", "machine s", comparison.machine, 1);
  }
  std::fputs(terminal_text(grid).c_str(), stdout);
  std::printf("\nIntervals of the change: PoCD by Newcombe, means by Welch's t. Clear: the interval leaves out 0.\n");
  return ExitCode::Done;
}

}  // namespace ontime::lab
