#pragma once
// The report of an experiment: one HTML file that needs nothing else.

#include <string>
#include <utility>
#include <vector>

#include "lab/experiment/rows.h"
#include "lab/experiment/summary.h"
#include "lab/results/document.h"
#include "lab/scenario/scenario.h"

namespace ontime::lab::experiment {

// The figures of a report as scripts for gnuplot, data included. Pure.
struct Figure {
  std::string title;
  std::string caption;  // how to read it
  std::string script;   // without terminal and output
  unsigned width = 900;
  unsigned height = 380;
};

// Those for which there is something to draw, in the order of the report.
std::vector<Figure> figures_of(const Results& results, const std::vector<PolicySummary>& summaries,
                               const Scenario& scenario, std::uint32_t slots);

// The timeline of attempts (which began where, at which offset, which won) of one job of each run: the one that had
// most copies, or else the one that took longest. Without a script if there is no such job.
Figure timeline_figure(const std::vector<RunRows>& runs);

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

// A line for each policy, or for each of its groups.
Grid summary_grid(const std::vector<PolicySummary>& summaries, const std::map<std::string, Reading>& printed,
                  bool is_for_terminal);

Document document_of(const Report& report);

}  // namespace ontime::lab::experiment
