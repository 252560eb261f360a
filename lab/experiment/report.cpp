#include "lab/experiment/report.h"

#include <array>

#include "lab/results/page.h"

namespace ontime::lab::experiment {
namespace {

std::string jobs_of(const PolicySummary& s) {
  return std::to_string(s.jobs) + (s.unfinished > 0 ? " (" + std::to_string(s.unfinished) + " unfinished)" : "");
}

struct Column {
  const char* title;
  std::string (*cell)(const PolicySummary&);
  bool on_terminals = true;
};
using S = const PolicySummary&;
constexpr std::array kColumns{
    Column{"jobs", jobs_of},
    Column{"PoCD", [](S s) { return fixed(s.pocd.value, 3); }},
    Column{"95 %", [](S s) { return interval(s.pocd, 3); }},
    Column{"mean s", [](S s) { return fixed(s.time.value, 2); }},
    Column{"95 %", [](S s) { return interval(s.time, 2); }, false},
    Column{"p50", [](S s) { return fixed(s.p50, 2); }},
    Column{"p90", [](S s) { return fixed(s.p90, 2); }},
    Column{"p99", [](S s) { return fixed(s.p99, 2); }},
    Column{"machine s/job", [](S s) { return fixed(s.machine.value, 1); }},
    Column{"attempts/task", [](S s) { return fixed(s.attempts, 2); }},
    Column{"wasted", [](S s) { return percent(s.duplicated, 1); }},
    Column{"resumed", [](S s) { return percent(s.resumed, 1); }, false},
    Column{"busy", [](S s) { return percent(s.utilisation, 0); }},
};

Grid copies_grid(const std::vector<PolicySummary>& summaries) {
  Grid grid{{"policy", "reason", "attempts"}, 2, {}};
  for (const PolicySummary& s : summaries) {
    for (const auto& [reason, attempts] : s.copies) grid.lines.push_back({s.policy, reason, std::to_string(attempts)});
  }
  return grid;
}

}  // namespace

Grid summary_grid(const std::vector<PolicySummary>& summaries, const std::map<std::string, Reading>& printed,
                  bool is_for_terminal) {
  const bool has_groups = !summaries.empty() && !summaries.front().group.empty();
  const bool has_printed = !printed.empty() && !has_groups;
  Grid grid{{"policy"}, has_groups ? 2u : 1u, {}};
  if (has_groups) grid.titles.emplace_back("jobs of");
  for (const Column& column : kColumns) {
    if (column.on_terminals || !is_for_terminal) grid.titles.emplace_back(column.title);
  }
  if (has_printed) grid.titles.emplace_back("printed PoCD");
  for (const PolicySummary& s : summaries) {
    Cells& cells = grid.lines.emplace_back(Cells{s.policy});
    if (has_groups) cells.push_back(s.group);
    for (const Column& column : kColumns) {
      if (column.on_terminals || !is_for_terminal) cells.push_back(column.cell(s));
    }
    const auto found = printed.find(s.policy);
    if (has_printed) cells.push_back(found == printed.end() ? "-" : text_of(found->second));
  }
  return grid;
}

Document document_of(const Report& report) {
  Document document(report.title);
  document.grid(summary_grid(report.summaries, report.printed, false));
  document.text(report.remark);
  for (const DrawnFigure& drawn : report.figures) {
    document.figure(drawn.figure.title, drawn.figure.caption, "", drawn.svg);
  }
  if (!report.groups.empty()) {
    document.heading("By group of jobs");
    document.grid(summary_grid(report.groups, report.printed, false));
  }
  if (const Grid copies = copies_grid(report.summaries); !copies.lines.empty()) {
    document.heading("Why attempts were added");
    document.grid(copies);
  }
  document.heading("What was measured, with what");
  Grid facts{{"what", "value"}, 1, {}};
  for (const auto& [what, value] : report.facts) facts.lines.push_back({what, value});
  document.grid(facts);
  document.text(
      "Intervals: PoCD Wilson, means Student's t over jobs, 95 %. Wasted and resumed are bytes per byte of input; a "
      "resumed byte did not have to be mapped again because an attempt went on from an offset.");
  document.heading("Scenario");
  document.code(report.scenario_text);
  return document;
}

}  // namespace ontime::lab::experiment
