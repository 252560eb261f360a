#include "cli/experiment/result_files.h"

#include <array>
#include <cmath>
#include <cstdio>

#include "cli/show/table.h"
#include "experiment/summary_text.h"
#include "experiment/tables.h"

namespace ontime::cli {
namespace {

std::string number(const char* format, double value) {
  if (!std::isfinite(value)) return "-";
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string printed_text(const std::map<std::string, experiment::Printed>& printed, const std::string& policy) {
  const auto found = printed.find(policy);
  if (found == printed.end()) return "-";
  const auto& [low, high] = found->second;
  return low == high ? number("%.2f", low) : number("%.2f", low) + " to " + number("%.2f", high);
}

}  // namespace

std::string summary_table(const std::vector<experiment::PolicySummary>& all, const experiment::Scenario& scenario) {
  std::vector<Table::Column> columns{{"policy"},
                                     {"jobs", Align::Right},
                                     {"PoCD", Align::Right},
                                     {"95 %", Align::Right},
                                     {"mean s", Align::Right},
                                     {"p50", Align::Right},
                                     {"p90", Align::Right},
                                     {"p99", Align::Right},
                                     {"machine s/job", Align::Right},
                                     {"attempts/task", Align::Right},
                                     {"mapped in vain", Align::Right},
                                     {"busy", Align::Right}};
  if (!scenario.printed.empty()) columns.push_back({"printed PoCD", Align::Right});
  Table table(columns);
  for (const auto& s : all) {
    std::vector<std::string> cells{s.policy,
                                   std::to_string(s.jobs),
                                   number("%.3f", s.pocd.value),
                                   number("%.3f", s.pocd.low) + " to " + number("%.3f", s.pocd.high),
                                   number("%.2f", s.time.value),
                                   number("%.2f", s.p50),
                                   number("%.2f", s.p90),
                                   number("%.2f", s.p99),
                                   number("%.1f", s.machine.value),
                                   number("%.2f", s.attempts),
                                   number("%.1f %%", 100 * s.duplicated),
                                   number("%.0f %%", 100 * s.utilisation)};
    if (!scenario.printed.empty()) cells.push_back(printed_text(scenario.printed, s.policy));
    table.add_row(std::move(cells));
  }
  return table.to_string();
}

Status write_results(const ResultDirectory& directory, const experiment::Scenario&, const experiment::Results& results,
                     std::uint32_t slots, const std::string&) {
  auto summaries = summarise(results, slots);
  const auto groups = summarise_groups(results, slots);
  auto files = tables_of(results);
  files.push_back({"utilisation.csv", utilisation_csv(results, slots)});
  files.push_back({"summary.json", summary_json(summaries)});
  summaries.insert(summaries.end(), groups.begin(), groups.end());
  files.push_back({"summary.csv", summary_csv(summaries)});
  for (const auto& file : files) {
    if (auto written = directory.write(file.name, file.text); !written) return written;
  }
  return {};
}

}  // namespace ontime::cli
