#include "lab/results/page.h"

#include <algorithm>
#include <cmath>

namespace ontime::lab {
namespace {

using Line = std::vector<std::string>;

std::string line_of(const Line& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) text += " " + cell + " |";
  return text + "\n";
}

std::string table(const Line& titles, std::size_t names, const std::vector<Line>& lines) {
  Line rule(titles.size(), "---:");
  std::fill(rule.begin(), rule.begin() + static_cast<std::ptrdiff_t>(names), "---");
  std::string text = line_of(titles) + line_of(rule);
  for (const Line& line : lines) text += line_of(line);
  return text;
}

// One row per point, one column per measure.
std::string long_table(const StudyResult& result) {
  Line titles = result.axes;
  titles.emplace_back("policy");
  for (const Measure* measure : result.measures) titles.emplace_back(measure->title);
  std::vector<Line> lines;
  for (const Row& row : result.rows) {
    Line line = row.labels;
    line.push_back(row.policy);
    for (std::size_t i = 0; i < result.measures.size(); ++i) line.push_back(cell_of(row, i, result));
    lines.push_back(std::move(line));
  }
  return table(titles, result.axes.size() + 1, lines);
}

// For one measure: the values of one axis side by side.
std::string wide_table(const StudyResult& result, std::size_t measure, std::size_t across) {
  Line titles;
  for (std::size_t i = 0; i < result.axes.size(); ++i) {
    if (i != across) titles.push_back(result.axes[i]);
  }
  titles.emplace_back("policy");
  const std::size_t names = titles.size();
  std::vector<Line> lines;
  for (const Row& row : result.rows) {
    Line name;
    for (std::size_t i = 0; i < result.axes.size(); ++i) {
      if (i != across) name.push_back(row.labels[i]);
    }
    name.push_back(row.policy);
    const std::string& column = row.labels[across];
    if (std::find(titles.begin() + static_cast<std::ptrdiff_t>(names), titles.end(), column) == titles.end()) {
      titles.push_back(column);
    }
    auto line = std::find_if(lines.begin(), lines.end(),
                             [&](const Line& known) { return std::equal(name.begin(), name.end(), known.begin()); });
    if (line == lines.end()) line = lines.insert(lines.end(), name);
    line->push_back(cell_of(row, measure, result));
  }
  for (std::size_t i = names; i < titles.size(); ++i) titles[i] = result.axes[across] + " " + titles[i];
  return table(titles, names, lines);
}

// Which axis is laid out across; none: a column per measure.
std::optional<std::size_t> across_of(const Study& study, const StudyResult& result) {
  if (study.figure.x.empty()) return std::nullopt;
  return result.axis(study.figure.x);
}

std::string measured_of(const StudyResult& result) {
  if (result.measured.empty()) return "";
  std::vector<Line> lines;
  for (const Measured& measured : result.measured) {
    lines.push_back({measured.what, measured.where, fixed(measured.value, measured.value < 10 ? 3 : 1)});
  }
  return "\n## Measured first\n\n" + table({"what", "where", "value"}, 2, lines);
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
    text += text.empty() ? "\nJobs that had not ended at the horizon (of all seeds): " : "; ";
    text += row.policy;
    for (const std::string& label : row.labels) text += ", " + label;
    text += ": " + std::to_string(row.unfinished);
  }
  return text.empty() ? text : text + ".\n";
}

std::string section(const std::string& title, const std::string& text) {
  if (text.empty()) return "";
  return "\n## " + title + "\n\n" + text + (text.back() == '\n' ? "" : "\n");
}

}  // namespace

std::string tables_of(const Study& study, const StudyResult& result) {
  const auto across = across_of(study, result);
  if (!across) return long_table(result);
  std::string text;
  for (std::size_t i = 0; i < result.measures.size(); ++i) {
    if (!text.empty()) text += "\n";
    text += std::string(result.measures[i]->title) + "\n\n" + wide_table(result, i, *across);
  }
  return text;
}

std::string page_of(const Study& study, const StudyResult& result, const PageNames& names) {
  const Agreement agreement = agreement_of(result);
  std::string text = "# " + study.title + "\n\n";
  if (!study.source.empty()) text += "Source: " + study.source + ".";
  if (study.read_off_figure) text += " Its numbers are read off a figure or its description, so they are approximate.";
  text += "\n" + runs_of(result) + ".";
  if (agreement.printed > 0) {
    text += " The paper's numbers stand in brackets; ours are bold where the interval does not hold them. It holds " +
            std::to_string(agreement.held) + " of " + std::to_string(agreement.printed) + ".";
  }
  text += "\n\n    ontime simulate " + names.scenario + " --output DIR\n\n";
  text += tables_of(study, result) + unfinished_of(result);
  if (names.has_figure) text += "\n![" + study.title + "](" + names.stem + ".svg)\n";
  text += section("What differs, and why", study.findings) + section("What was assumed", study.assumptions);
  return text + measured_of(result) + "\nThe same as a table for programs: [" + names.stem + ".csv](" + names.stem +
         ".csv).\n";
}

}  // namespace ontime::lab
