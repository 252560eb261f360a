#pragma once
// Scenarios for tests.

#include <gtest/gtest.h>

#include <string>

#include "lab/experiment/plan.h"

namespace ontime::lab::experiment {

inline Surroundings nowhere() {
  return {[](const std::string& name) -> Result<std::string> { return bad_input("there is no " + name); },
          [](const std::string& name) { return "/scenarios/" + name; }};
}

inline Scenario read(const std::string& text) {
  const auto scenario = read_experiment(text, nowhere());
  EXPECT_TRUE(scenario) << scenario.error().message;
  return scenario.value();
}

inline std::string complaint(const std::string& text) {
  const auto scenario = read_experiment(text, nowhere());
  return scenario ? "" : scenario.error().message;
}

}  // namespace ontime::lab::experiment
