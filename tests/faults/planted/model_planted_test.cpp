// The search through all orders of events (tests/model) finds the errors that are planted in the scheduler.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "tests/faults/planted/found_by_search.h"
#include "tests/faults/planted/planted.h"
#include "tests/model/scenes.h"

namespace ontime::model {
namespace {

class ModelPlanted : public testing::TestWithParam<FoundBySearch> {};

TEST_P(ModelPlanted, IsFound) {
  const std::vector<Scene> all = scenes();
  const auto scene =
      std::find_if(all.begin(), all.end(), [](const Scene& one) { return one.name == GetParam().scene; });
  ASSERT_NE(scene, all.end());
  plant(GetParam().error);
  const Findings found = explore(scene->search);
  plant("");
  EXPECT_NE(found.broken, "");
  std::printf("%s, after %zu choices: %s\n", std::string(GetParam().error).c_str(), found.choices,
              found.broken.c_str());
}

INSTANTIATE_TEST_SUITE_P(Error, ModelPlanted, testing::ValuesIn(kFoundBySearch), [](const auto& param) {
  std::string name(param.param.error);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace ontime::model
