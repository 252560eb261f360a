#pragma once
// The figures of a report as scripts for gnuplot, data included. Pure.

#include <string>
#include <vector>

#include "lab/experiment/rows.h"
#include "lab/experiment/summary.h"
#include "lab/scenario/scenario.h"

namespace ontime::lab::experiment {

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

// The lines that come before a script so that it draws to the file.
std::string figure_head(const Figure& figure, const std::string& svg);

}  // namespace ontime::lab::experiment
