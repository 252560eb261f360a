#pragma once
// A study that takes a moment.

#include <string>

#include "lab/study/study_result.h"

namespace ontime::lab {

inline const std::string kScenario = R"(
nodes: [{count: 12}]
launch: 100ms
jobs:
  - {name: words, count: 8, tasks: 4, arrivals: {load: 0.4}, duration: {pareto: [10s, 1.5]}, deadline: 30s}
)";

inline const std::string kStudy = kScenario + R"(
study:
  title: A small one
  source: nobody
  seeds: 2
  policies:
    Hadoop: hadoop
    Ours: "shed+:t_min=10s,beta=1.5"
  vary:
    - name: tasks
      values:
        - {label: few, set: {jobs.0.tasks: 2}}
        - {label: many, set: {jobs.0.tasks: 6}}
    - name: deadline
      values:
        - {label: 20, set: {jobs.0.deadline: 20s}}
        - {label: 40, set: {jobs.0.deadline: 40s}}
  measures: [pocd, machine_time]
  printed:
    - {policy: Ours, pocd: [0.2, 1]}
    - {policy: Hadoop, tasks: few, deadline: 20, pocd: -1}
  assumptions: Nothing.
  findings: Less.
  figure: {kind: lines, x: deadline, y: pocd}
)";

inline Result<RunResults> one_by_one(std::span<const PlannedRun> runs) {
  RunResults results;
  for (const PlannedRun& run : runs) results.push_back(carry_out(run));
  return results;
}

}  // namespace ontime::lab
