#pragma once
// The report: one HTML file that needs nothing else.

#include <string>
#include <utility>
#include <vector>

#include "lab/experiment/figures.h"
#include "lab/experiment/summary.h"
#include "lab/scenario/scenario.h"

namespace ontime::lab::experiment {

struct DrawnFigure {
  Figure figure;
  std::string svg;  // the element alone
};

struct Report {
  std::string title;
  std::vector<std::pair<std::string, std::string>> facts;  // what, value
  std::vector<PolicySummary> summaries;
  std::vector<PolicySummary> groups;
  std::map<std::string, Reading> printed;
  std::vector<DrawnFigure> figures;
  std::string remark;         // why there are no figures; empty: there are
  std::string scenario_text;  // the file
};

std::string html_of(const Report& report);
std::string escaped(const std::string& text);  // for HTML

}  // namespace ontime::lab::experiment
