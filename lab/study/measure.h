#pragma once
// What is measured of one run. To add a measure is to add a line to the table in measure.cpp.

#include <span>
#include <string_view>
#include <vector>

#include "lab/simulator/outcome.h"
#include "lab/study/study.h"

namespace ontime::lab {

// Some jobs of a run, and the run.
struct Sight {
  std::vector<const JobOutcome*> jobs;
  std::vector<double> flow_times;  // of those that have ended, ascending
  const Outcome* outcome = nullptr;
  Utility utility;
};

struct Measure {
  std::string_view name;
  std::string_view title;                // with its unit
  int digits = 2;                        // behind the point
  bool is_share = false;                 // between 0 and 1
  double (*of)(const Sight&) = nullptr;  // NaN: nothing to be measured
};

std::span<const Measure> measures();
const Measure* find_measure(std::string_view name);

}  // namespace ontime::lab
