#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/study/study.h"
#include "tests/lab/study/small_study.h"

namespace ontime::lab {
namespace {

Setting setting(const std::string& path, const std::string& value) { return {path, YAML::Load(value), std::nullopt}; }

TEST(Points, AreTheProductOfTheAxes) {
  const auto study = read_study(kStudy);
  ASSERT_TRUE(study) << study.error().message;
  std::vector<std::vector<std::string>> labels;
  for (const PointOfAxes& place : places_of(*study)) labels.push_back(place.labels);
  const std::vector<std::vector<std::string>> product{{"few", "20"}, {"few", "40"}, {"many", "20"}, {"many", "40"}};
  EXPECT_EQ(labels, product);
}

TEST(Points, SettingsGoToTheirPlacesTheLastOneStays) {
  const auto study = read_study(kStudy);
  ASSERT_TRUE(study);
  const auto scenario =
      scenario_of(*study,
                  {setting("jobs.0.tasks", "3"), setting("jobs.*.deadline", "9s"), setting("launch", "5s"),
                   setting("jobs.0.arrivals.load", "0.9"), setting("nodes.0.slots", "2"), setting("jobs.0.tasks", "5")},
                  "");
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(scenario->jobs[0].size.tasks.median(), 5);
  EXPECT_EQ(scenario->jobs[0].deadline.seconds, 9);
  EXPECT_EQ(scenario->jobs[0].arrivals.load, 0.9);
  EXPECT_EQ(scenario->launch.median(), 5);
  EXPECT_EQ(slots_of(*scenario), 24u);
}

TEST(Points, AStudyItselfIsNotChanged) {
  const auto study = read_study(kStudy);
  ASSERT_TRUE(study);
  const auto changed = scenario_of(*study, {setting("jobs.0.arrivals.load", "0.9")}, "");
  const auto before = scenario_of(*study, {}, "");
  ASSERT_TRUE(changed && before);
  EXPECT_EQ(before->jobs[0].arrivals.load, 0.4);
}

TEST(Points, PoliciesTakeParametersFromSettings) {
  const auto study = read_study(kStudy);
  ASSERT_TRUE(study);
  const auto scenario = scenario_of(*study, {setting("policy.xi", "0.3")}, "shed+:beta=2");
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(scenario->jobs[0].handling.policy, "shed+");
  EXPECT_EQ(scenario->jobs[0].handling.policy_parameters.at("xi"), "0.3");
  EXPECT_EQ(scenario->jobs[0].handling.policy_parameters.at("beta"), "2");
}

TEST(Points, NamesInPoliciesStandForWhatSettingsSay) {
  const std::vector<Setting> settings{setting("$b", "1.5"), setting("$b_max", "9"), setting("launch", "5s")};
  EXPECT_EQ(filled_in("shed+:beta=$b,max=$b_max,xi=$b", settings), "shed+:beta=1.5,max=9,xi=1.5");
  EXPECT_EQ(filled_in("none", settings), "none");
  EXPECT_EQ(filled_in("shed+:beta=$b-max,xi=$b", {setting("$b-max", "9"), setting("$b", "1")}), "shed+:beta=9,xi=1");
}

TEST(Points, HaveAUtilityOfTheirOwn) {
  const auto study = read_study(kStudy);
  ASSERT_TRUE(study);
  const auto utility = utility_of(*study, {setting("utility.theta", "0.01"), setting("utility.r_min", "0.3")});
  ASSERT_TRUE(utility);
  EXPECT_EQ(utility->theta, 0.01);
  EXPECT_EQ(utility->r_min, 0.3);
  EXPECT_EQ(utility->price, study->utility.price);
  EXPECT_FALSE(utility_of(*study, {setting("utility.tehta", "0.01")}));
}

TEST(Points, SayWhichSettingCannotBe) {
  const auto study = read_study(kStudy);
  ASSERT_TRUE(study);
  EXPECT_THAT(scenario_of(*study, {setting("jobs.4.tasks", "3")}, "").error().message, testing::HasSubstr("'4'"));
  EXPECT_THAT(scenario_of(*study, {setting("jobs.0.tusks", "3")}, "").error().message, testing::HasSubstr("tusks"));
  EXPECT_THAT(scenario_of(*study, {setting("launch.x", "3")}, "").error().message, testing::HasSubstr("no keys"));
}

TEST(Points, AStarStandsForEachGroup) {
  const std::vector<std::pair<std::string, std::size_t>> all{{"jobs.0.deadline", 0}, {"jobs.1.deadline", 1}};
  EXPECT_EQ(spelled_out("jobs.*.deadline", 2), all);
  EXPECT_EQ(spelled_out("jobs.1.arrivals.load", 2)[0].second, 1u);
  EXPECT_EQ(spelled_out("policy.theta", 2)[0].second, 0u);
}

}  // namespace
}  // namespace ontime::lab
