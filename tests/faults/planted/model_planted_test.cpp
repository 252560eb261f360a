// The search through all orders of events (tests/model) finds the errors that are planted in the scheduler.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "tests/faults/planted/planted.h"
#include "tests/model/scenes.h"

namespace ontime::model {
namespace {

class ModelPlanted : public testing::TestWithParam<std::string_view> {};

TEST_P(ModelPlanted, IsFound) {
  plant(GetParam());
  std::string found;
  for (const Scene& scene : scenes()) {
    found = explore(scene.search).broken;
    if (found.empty()) continue;
    std::printf("%s, scene %s: %s\n", std::string(GetParam()).c_str(), scene.name.c_str(), found.c_str());
    break;
  }
  plant("");
  EXPECT_NE(found, "");
}

INSTANTIATE_TEST_SUITE_P(Error, ModelPlanted,
                         testing::Values("committed-again", "cut-loses-a-byte", "epoch-not-raised",
                                         "fenced-seal-accepted", "kill-not-recorded", "killed-while-committed",
                                         "lost-node-keeps-attempt", "released-rest-lost", "released-too-early",
                                         "resumed-too-far", "silence-looked-at-once"),
                         [](const auto& param) {
                           std::string name(param.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace ontime::model
