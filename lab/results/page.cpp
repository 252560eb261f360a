#include "lab/results/page.h"

#include <algorithm>
#include <cmath>

namespace ontime::lab {
namespace {

// One row per point, one column per measure.
Grid long_table(const StudyResult& result) {
  Grid grid{result.axes, result.axes.size() + 1, {}};
  grid.titles.emplace_back("policy");
  for (const Measure* measure : result.measures) grid.titles.emplace_back(measure->title);
  for (const Row& row : result.rows) {
    Cells& line = grid.lines.emplace_back(row.labels);
    line.push_back(row.policy);
    for (std::size_t i = 0; i < result.measures.size(); ++i) line.push_back(cell_of(row, i, result));
  }
  return grid;
}

// For one measure: the values of one axis side by side.
Grid wide_table(const StudyResult& result, std::size_t measure, std::size_t across) {
  const auto names_of = [&](Cells labels, const std::string& policy) {
    labels.erase(labels.begin() + static_cast<std::ptrdiff_t>(across));
    labels.push_back(policy);
    return labels;
  };
  Grid grid{names_of(result.axes, "policy"), result.axes.size(), {}};
  for (const Row& row : result.rows) {
    const Cells names = names_of(row.labels, row.policy);
    const std::string column = result.axes[across] + " " + row.labels[across];
    if (std::find(grid.titles.begin() + static_cast<std::ptrdiff_t>(grid.names), grid.titles.end(), column) ==
        grid.titles.end()) {
      grid.titles.push_back(column);
    }
    auto line = std::find_if(grid.lines.begin(), grid.lines.end(),
                             [&](const Cells& known) { return std::equal(names.begin(), names.end(), known.begin()); });
    if (line == grid.lines.end()) line = grid.lines.insert(grid.lines.end(), names);
    line->push_back(cell_of(row, measure, result));
  }
  return grid;
}

// Which axis is laid out across; none: a column per measure.
std::optional<std::size_t> across_of(const Study& study, const StudyResult& result) {
  if (study.figure.x.empty()) return std::nullopt;
  return result.axis(study.figure.x);
}

Grid measured_of(const StudyResult& result) {
  Grid grid{{"what", "where", "value"}, 2, {}};
  for (const Measured& measured : result.measured) {
    grid.lines.push_back({measured.what, measured.where, fixed(measured.value, measured.value < 10 ? 3 : 1)});
  }
  return grid;
}

std::string runs_of(const StudyResult& result) {
  const std::string seeds = std::to_string(result.seeds);
  return result.seeds > 1 ? "Means over " + seeds + " seeds with 95 % intervals (Student's t)"
                          : "One seed; intervals of PoCD are Wilson's at 95 %";
}

std::string unfinished_of(const StudyResult& result) {
  std::string text;
  for (const Row& row : result.rows) {
    if (row.unfinished == 0) continue;
    text += text.empty() ? "Jobs that had not ended at the horizon (of all seeds): " : "; ";
    text += row.policy;
    for (const std::string& label : row.labels) text += ", " + label;
    text += ": " + std::to_string(row.unfinished);
  }
  return text.empty() ? text : text + ".";
}

}  // namespace

std::string text_of(const Estimate& estimate, int digits) {
  const std::string value = fixed(estimate.value, digits);
  if (!estimate.has_interval()) return value;
  const double below = estimate.value - estimate.low;
  const double above = estimate.high - estimate.value;
  const double half_digit = 0.5 * std::pow(10.0, -digits);
  if (std::abs(above - below) <= half_digit) return value + " ± " + fixed(above, digits);
  return value + " (" + fixed(estimate.low, digits) + " to " + fixed(estimate.high, digits) + ")";
}

std::string text_of(const Reading& reading) {
  return reading.low == reading.high ? number(reading.low) : number(reading.low) + " to " + number(reading.high);
}

std::string cell_of(const Row& row, std::size_t measure, const StudyResult& result) {
  const Measure& what = *result.measures[measure];
  const std::string ours = text_of(row.values[measure], what.digits);
  const auto& printed = row.printed[measure];
  if (!printed) return ours;
  const bool off = differs(row.values[measure], *printed, what);
  return (off ? "**" + ours + "**" : ours) + " [" + text_of(*printed) + "]";
}

std::string tables_of(const Study& study, const StudyResult& result) {
  const auto across = across_of(study, result);
  if (!across) return markdown_of(long_table(result));
  std::string text;
  for (std::size_t i = 0; i < result.measures.size(); ++i) {
    if (!text.empty()) text += "\n";
    text += std::string(result.measures[i]->title) + "\n\n" + markdown_of(wide_table(result, i, *across));
  }
  return text;
}

std::string page_of(const Study& study, const StudyResult& result, const PageNames& names) {
  const Agreement agreement = agreement_of(result);
  std::string source;
  if (!study.source.empty()) source += "Source: " + study.source + ".";
  if (study.read_off_figure)
    source += " Its numbers are read off a figure or its description, so they are approximate.";
  source += "\n" + runs_of(result) + ".";
  if (agreement.printed > 0) {
    source += " The paper's numbers stand in brackets; ours are bold where the interval does not hold them. It holds " +
              std::to_string(agreement.held) + " of " + std::to_string(agreement.printed) + ".";
  }
  Document page(study.title);
  page.text(source);
  page.code("ontime simulate " + names.scenario + " --output DIR");
  page.text(tables_of(study, result));
  page.text(unfinished_of(result));
  if (names.has_figure) page.figure(study.title, "", names.stem + ".svg", "");
  const std::pair<const char*, std::string> sections[]{{"What differs, and why", study.findings},
                                                       {"What was assumed", study.assumptions}};
  for (const auto& [title, text] : sections) {
    if (text.empty()) continue;
    page.heading(title);
    page.text(text);
  }
  if (!result.measured.empty()) {
    page.heading("Measured first");
    page.grid(measured_of(result));
  }
  page.text("The same as a table for programs: [" + names.stem + ".csv](" + names.stem + ".csv).");
  return page.markdown();
}

}  // namespace ontime::lab
