#pragma once
// The results of a study: one row per point.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lab/results/interval.h"
#include "lab/study/study.h"
#include "lab/study/study_run.h"

namespace ontime::lab {

struct Row {
  std::vector<std::string> labels;  // as StudyResult::axes
  std::string policy;
  std::vector<Estimate> values;                 // by measure
  std::vector<std::optional<Reading>> printed;  // by measure
  std::vector<double> flow_times;               // of all runs, ascending; for a Cdf only
  std::vector<Sample> samples;                  // of the first run
  std::uint32_t slots = 0;
  std::uint64_t unfinished = 0;  // jobs that had not ended at the horizon
};

// A setting that was measured first.
struct Measured {
  std::string what;  // "jobs.0.deadline"
  std::string where;
  double value = 0;
};

struct StudyResult {
  std::vector<std::string> axes;  // names; "group" last if jobs are told apart by it
  std::vector<const Measure*> measures;
  std::vector<Row> rows;
  std::vector<Measured> measured;
  std::uint32_t seeds = 0;
  std::uint64_t runs = 0;
  std::uint64_t attempts = 0;
  std::uint64_t events = 0;

  std::size_t axis(const std::string& name) const;     // REQUIRES: there is one
  std::size_t measure(const std::string& name) const;  // REQUIRES: there is one
};

// Whether our interval has nothing in common with what is printed. Without an interval: whether it is another number.
bool differs(const Estimate& ours, const Reading& printed, const Measure& measure);

// The number of printed values that there are, and of those that our intervals hold.
struct Agreement {
  std::size_t printed = 0;
  std::size_t held = 0;
};
Agreement agreement_of(const StudyResult& result);

struct StudyOptions {
  std::uint32_t seeds = 0;  // 0: as the study says
  std::string only;         // a policy's name; empty: all
};

// Measures what must be measured first, then runs every point with seeds from 1 on.
Result<StudyResult> run_study(const Study& study, const StudyOptions& options, const Execute& execute);

}  // namespace ontime::lab
