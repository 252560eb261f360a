#pragma once
// The studies lab/scenarios/calibration*.yaml, or parts of them.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "lab/study/study.h"
#include "lab/study/study_result.h"
#include "tests/lab/study/small_study.h"

namespace ontime::lab {

inline Study calibration_study(const std::string& file = "calibration.yaml") {
  const auto read_file = [](const std::string& name) -> Result<std::string> {
    std::ostringstream text;
    text << std::ifstream(ONTIME_SCENARIOS "/" + name).rdbuf();
    return text.str();
  };
  return read_study(*read_file(file), {read_file}).value();
}

// Leaves the axis this value alone.
inline void keep(Study& study, const std::string& name, const std::string& label) {
  for (Axis& axis : study.axes) {
    if (axis.name == name) std::erase_if(axis.values, [&](const AxisValue& value) { return value.label != label; });
  }
}

inline std::vector<RunForecasts> forecasts_of(const Study& study, const std::string& policy = "") {
  StudyOptions options;
  if (!policy.empty()) options.only = {policy};
  const auto result = run_study(study, options, one_by_one);
  EXPECT_TRUE(result) << result.error().message;
  return result->forecasts;
}

}  // namespace ontime::lab
