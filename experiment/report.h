#pragma once
// The report: one HTML file that needs nothing else.

#include <string>
#include <utility>
#include <vector>

#include "experiment/figures.h"
#include "experiment/scenario.h"
#include "experiment/summary.h"

namespace ontime::experiment {

struct DrawnFigure {
  Figure figure;
  std::string svg;  // the element alone
};

struct Report {
  std::string title;
  std::vector<std::pair<std::string, std::string>> facts;  // what, value
  std::vector<PolicySummary> summaries;
  std::vector<PolicySummary> groups;
  std::map<std::string, Printed> printed;
  std::vector<DrawnFigure> figures;
  std::string remark;         // why there are no figures; empty: there are
  std::string scenario_text;  // the file
};

std::string html_of(const Report& report);
std::string escaped(const std::string& text);  // for HTML

}  // namespace ontime::experiment
