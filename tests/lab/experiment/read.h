#pragma once
// Scenarios for tests.

#include <gtest/gtest.h>

#include <string>

#include "lab/experiment/scenario_yaml.h"

namespace ontime::lab::experiment {

inline Surroundings nowhere() {
  return {[](const std::string& name) -> Result<std::string> { return bad_input("there is no " + name); },
          [](const std::string& name) { return "/scenarios/" + name; }};
}

inline Scenario read(const std::string& text) {
  auto scenario = read_scenario(text, nowhere());
  EXPECT_TRUE(scenario) << scenario.error().message;
  return scenario ? *scenario : Scenario{};
}

inline std::string complaint(const std::string& text) {
  const auto scenario = read_scenario(text, nowhere());
  return scenario ? "" : scenario.error().message;
}

}  // namespace ontime::lab::experiment
