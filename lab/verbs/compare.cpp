#include "lab/experiment/compare.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include "lab/verbs/execute.h"
#include "cli/show/table.h"
#include "cli/text_file.h"
#include "lab/experiment/tables.h"

namespace ontime::lab {

using namespace cli;
namespace {

using experiment::Difference;

Result<std::vector<experiment::JobRow>> jobs_of(const std::string& directory) {
  auto text = read_text_file(directory + "/jobs.csv");
  if (!text) return bad_input("'" + directory + "' holds no finished experiment: there is no jobs.csv");
  auto results = experiment::results_of({{"jobs.csv", std::move(*text)}});
  if (!results) return bad_input(directory + "/" + results.error().message);
  return std::move(results->jobs);
}

std::string number(const char* format, double value) {
  if (!std::isfinite(value)) return "-";
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

void add_row(Table& table, const std::string& policy, const std::string& what, const Difference& difference,
             const char* plain, const char* with_sign) {
  const auto& change = difference.change;
  const std::string interval =
      change.has_interval() ? number(with_sign, change.low) + " to " + number(with_sign, change.high) : "-";
  table.add_row({policy, what, number(plain, difference.before.value), number(plain, difference.after.value),
                 number(with_sign, change.value), interval, difference.is_clear() ? "yes" : ""});
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
  Table table({{"policy"},
               {""},
               {"before", Align::Right},
               {"after", Align::Right},
               {"change", Align::Right},
               {"95 %", Align::Right},
               {"clear"}});
  for (const auto& comparison : all) {
    add_row(table, comparison.policy, "PoCD", comparison.pocd, "%.3f", "%+.3f");
    add_row(table, "", "time s", comparison.time, "%.2f", "%+.2f");
    add_row(table, "", "machine s", comparison.machine, "%.1f", "%+.1f");
  }
  std::fputs(table.to_string().c_str(), stdout);
  std::printf("\nIntervals of the change: PoCD by Newcombe, means by Welch's t. Clear: the interval leaves out 0.\n");
  return ExitCode::Done;
}

}  // namespace ontime::lab
