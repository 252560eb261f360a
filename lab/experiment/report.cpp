#include "lab/experiment/report.h"

#include <cmath>

#include "lab/results/page.h"

namespace ontime::lab::experiment {
namespace {

constexpr const char* kStyle =
    "body{font:16px/1.5 sans-serif;max-width:62em;margin:2em auto;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;margin:1em 0}th,td{padding:.2em .7em;text-align:right;border-bottom:1px solid #ddd}"
    "th:first-child,td:first-child{text-align:left}th{border-bottom:2px solid #888}"
    "figure{margin:2em 0}figcaption{color:#444;font-size:.9em}svg{max-width:100%;height:auto}"
    "pre{background:#f6f6f6;padding:1em;overflow:auto}";

constexpr const char* kNothing = "&ndash;";

std::string cell(double value, int digits, const char* unit = "") {
  return std::isfinite(value) ? fixed(value, digits) + unit : kNothing;
}

std::string row(const std::vector<std::string>& cells, const char* tag) {
  std::string text = "<tr>";
  for (const std::string& cell : cells) text += std::string("<") + tag + ">" + cell + "</" + tag + ">";
  return text + "</tr>\n";
}

std::string interval(const lab::Estimate& estimate, int digits) {
  return estimate.has_interval() ? cell(estimate.low, digits) + " to " + cell(estimate.high, digits) : kNothing;
}

std::string summary_table(const Report& report, const std::vector<PolicySummary>& summaries, bool has_groups) {
  std::vector<std::string> titles{"policy"};
  if (has_groups) titles.push_back("jobs of");
  for (const char* title : {"jobs", "in time (PoCD)", "95 %", "mean s", "95 %", "p50", "p90", "p99", "machine s/job",
                            "attempts/task", "wasted", "resumed", "slots busy"}) {
    titles.emplace_back(title);
  }
  const bool has_printed = !report.printed.empty() && !has_groups;
  if (has_printed) titles.push_back("printed PoCD");
  std::string text = "<table>\n" + row(titles, "th");
  for (const PolicySummary& s : summaries) {
    std::vector<std::string> cells{escaped(s.policy)};
    if (has_groups) cells.push_back(escaped(s.group));
    for (const std::string& text_of_cell :
         {std::to_string(s.jobs) + (s.unfinished > 0 ? " (" + std::to_string(s.unfinished) + " unfinished)" : ""),
          cell(s.pocd.value, 3), interval(s.pocd, 3), cell(s.time.value, 2), interval(s.time, 2), cell(s.p50, 2),
          cell(s.p90, 2), cell(s.p99, 2), cell(s.machine.value, 1), cell(s.attempts, 2),
          cell(100 * s.duplicated, 1, " %"), cell(100 * s.resumed, 1, " %"), cell(100 * s.utilisation, 0, " %")}) {
      cells.push_back(text_of_cell);
    }
    if (has_printed) {
      const auto found = report.printed.find(s.policy);
      cells.push_back(found == report.printed.end() ? kNothing : text_of(found->second));
    }
    text += row(cells, "td");
  }
  return text + "</table>\n";
}

std::string copies_table(const std::vector<PolicySummary>& summaries) {
  std::string text;
  for (const PolicySummary& s : summaries) {
    for (const auto& [reason, attempts] : s.copies) {
      text += row({escaped(s.policy), escaped(reason), std::to_string(attempts)}, "td");
    }
  }
  if (text.empty()) return "";
  return "<h2>Why attempts were added</h2>\n<table>\n" + row({"policy", "reason", "attempts"}, "th") + text +
         "</table>\n";
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '"')
      safe += "&quot;";
    else
      safe += c;
  }
  return safe;
}

std::string html_of(const Report& report) {
  std::string text = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" +
                     escaped(report.title) + "</title>\n<style>" + kStyle + "</style></head><body>\n<h1>" +
                     escaped(report.title) + "</h1>\n";
  text += summary_table(report, report.summaries, false);
  if (!report.remark.empty()) text += "<p>" + escaped(report.remark) + "</p>\n";
  for (const DrawnFigure& drawn : report.figures) {
    text += "<figure><h2>" + escaped(drawn.figure.title) + "</h2>\n" + drawn.svg + "\n<figcaption>" +
            escaped(drawn.figure.caption) + "</figcaption></figure>\n";
  }
  if (!report.groups.empty()) {
    text += "<h2>By group of jobs</h2>\n" + summary_table(report, report.groups, true);
  }
  text += copies_table(report.summaries);
  text += "<h2>What was measured, with what</h2>\n<table>\n";
  for (const auto& [what, value] : report.facts) text += row({escaped(what), escaped(value)}, "td");
  text +=
      "</table>\n<p>Intervals: PoCD Wilson, means Student's t over jobs, 95 %. Wasted and resumed are bytes "
      "per byte of input; a resumed byte did not have to be mapped again because an attempt went on from an "
      "offset.</p>\n<h2>Scenario</h2>\n<pre>" +
      escaped(report.scenario_text) + "</pre>\n</body></html>\n";
  return text;
}

}  // namespace ontime::lab::experiment
