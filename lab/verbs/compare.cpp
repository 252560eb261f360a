#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>

#include "cli/result/part_file.h"
#include "cli/text_file.h"
#include "lab/experiment/rows.h"
#include "lab/experiment/summary.h"
#include "lab/results/writing.h"
#include "lab/verbs/command.h"

namespace ontime::lab {

using namespace cli;
namespace {

Result<std::vector<experiment::JobRow>> jobs_of(const std::string& directory) {
  const auto local = LocalOutput::with_file(directory, "jobs.csv");
  if (!local) return local.error();
  const std::string path = (*local)->directory() + "/jobs.csv";
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    return bad_input("'" + directory + "' holds no finished experiment: there is no jobs.csv");
  const auto text = read_text_file(path);
  if (!text) return text.error();
  auto jobs = read_csv<experiment::JobRow>("jobs.csv", *text);
  if (!jobs) return bad_input(directory + "/" + jobs.error().message);
  return jobs;
}

std::string with_sign(double value, int digits) {
  const std::string shown = fixed(value, digits);
  const bool is_zero = shown.find_first_not_of("-0.") == shown.npos;
  return is_zero ? fixed(0, digits) : (value > 0 ? "+" : "") + shown;
}

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
