// Plays tests/scheduler/testdata/*.txt (see scenario.h). With ONTIME_REWRITE=1 in the environment what comes out is
// written into the files, to be read in review.
#include "tests/scheduler/scenario.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace ontime::scheduler {
namespace {

std::vector<std::string> scenarios() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(ONTIME_TESTDATA)) {
    if (entry.path().extension() == ".txt") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Scenario : public testing::TestWithParam<std::string> {};

TEST_P(Scenario, ComesOutAsWritten) {
  const std::filesystem::path path = std::filesystem::path(ONTIME_TESTDATA) / (GetParam() + ".txt");
  std::stringstream written;
  written << std::ifstream(path).rdbuf();
  ASSERT_NE(written.str().find("----"), std::string::npos) << path << " expects nothing";
  const std::string played = test::play(written.str());
  if (std::getenv("ONTIME_REWRITE") != nullptr) {
    std::ofstream(path) << played;
    return;
  }
  EXPECT_EQ(played, written.str()) << "if that is right: ONTIME_REWRITE=1 writes it into " << path.filename();
}

INSTANTIATE_TEST_SUITE_P(, Scenario, testing::ValuesIn(scenarios()), [](const auto& param) {
  std::string name = param.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(ScenarioText, ACommandThatMakesNoSenseIsRefused) {
  EXPECT_THROW(test::play("nod a\n----\n"), std::runtime_error);
  EXPECT_THROW(test::play("node a slots=many\n----\n"), std::logic_error);
  EXPECT_THROW(test::play("progress t0-a0 5\n----\n"), std::runtime_error);
}

TEST(ScenarioText, WhatComesOutDifferentlyIsSeen) {
  const std::string played = test::play("node a\nsubmit bytes=10 split=10\n----\nnothing happens\n");
  EXPECT_EQ(played.find("nothing happens"), std::string::npos);
  EXPECT_NE(played.find("> launch attempt=job-1/t00000/a0 node=node-1 range=0-10"), std::string::npos) << played;
}

}  // namespace
}  // namespace ontime::scheduler
