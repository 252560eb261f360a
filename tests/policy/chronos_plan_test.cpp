// r, the times and the words that go with them.
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "scheduler/policies/chronos/chronos.h"
#include "scheduler/policies/policy.h"
#include "tests/golden/golden_file.h"

namespace ontime::scheduler {
namespace {

using chronos::Strategy;

ChronosSettings settings_of(Strategy strategy, const StringMap& given = {}) {
  Parameters parameters("chronos", given);
  return chronos_settings(strategy, parameters);
}

math::Durations durations(double t_min, double beta, double launch = 0) {
  math::Durations durations;
  durations.t_min = t_min;
  durations.beta = beta;
  durations.launch = launch;
  durations.source = math::DurationSource::Profile;
  return durations;
}

// A golden row as a job: no launch time, splits of one byte.
TEST(ChronosPlan, ROfAGoldenRowsJobIsTheGoldenOptimum) {
  std::size_t compared = 0;
  for (const golden::Row& row : golden::csv("chronos_opt.csv")) {
    const bool is_clone = row.text("strategy") == "clone";
    if (!is_clone && row.text("strategy") != "restart") continue;  // S-Resume's phi is not an input here
    if (row["margin_exact"] <= 1e-12 || row["tau_kill"] < row["tau_est"]) continue;
    ChronosSettings settings;
    settings.strategy = is_clone ? Strategy::Clone : Strategy::Restart;
    settings.tau_est = {is_clone ? 0 : row["tau_est"], false};
    settings.tau_kill = {row["tau_kill"], false};
    settings.r_max = 50;
    settings.price = {row["Rmin"], row["theta"], row["C"]};
    const auto choice = choose_copies(settings, {row["N"], row["D"], 1, durations(row["tmin"], row["beta"])});
    ASSERT_TRUE(choice) << row.place();
    const double expected = row["r_opt_exact"];
    EXPECT_EQ(choice->r ? static_cast<double>(*choice->r) : -1, expected) << row.place();
    ++compared;
  }
  EXPECT_GT(compared, 50u);
}

TEST(ChronosPlan, SResumeCountsOnTheMeanProgressOfStragglers) {
  const ChronosSettings settings = settings_of(Strategy::Resume);
  const auto choice = choose_copies(settings, {10, 60, 1e6, durations(20e-6, 1.5)});
  ASSERT_TRUE(choice && choice->r);
  EXPECT_DOUBLE_EQ(choice->model.tau_est, 6);
  EXPECT_DOUBLE_EQ(choice->model.phi, chronos::straggler_progress(choice->model));
  EXPECT_EQ(choice->r, chronos::optimal_copies(Strategy::Resume, choice->model, settings.price, 5).r);
}

TEST(ChronosPlan, ALaunchTakesItsTimeFromOriginalsAndFromCopiesAgain) {
  const auto choice = choose_copies(settings_of(Strategy::Restart), {10, 60, 1, durations(20, 1.5, 2)});
  ASSERT_TRUE(choice);
  EXPECT_DOUBLE_EQ(choice->model.deadline, 58);
  EXPECT_DOUBLE_EQ(choice->model.deadline - choice->model.tau_est, 60 - 2 - 6 - 2);
  EXPECT_DOUBLE_EQ(choice->race, 6);
}

TEST(ChronosPlan, TimesMayBeAbsolute) {
  const auto choice = choose_copies(settings_of(Strategy::Restart, {{"tau_est", "40s"}, {"tau_kill", "80s"}}),
                                    {10, 100, 1, durations(20, 1.5, 2)});
  ASSERT_TRUE(choice);
  EXPECT_DOUBLE_EQ(choice->est, 40);
  EXPECT_DOUBLE_EQ(choice->race, 40);
}

TEST(ChronosPlan, WithoutTMinNothingIsChosenUnlessEverythingIsTold) {
  const ChronosFacts facts{10, 60, 1, durations(0, 2)};
  EXPECT_FALSE(choose_copies(settings_of(Strategy::Resume), facts));
  EXPECT_FALSE(choose_copies(settings_of(Strategy::Resume, {{"r", "2"}}), facts));
  const StringMap told{{"r", "2"}, {"tau_est", "1s"}, {"tau_kill", "2s"}};
  const auto choice = choose_copies(settings_of(Strategy::Resume, told), facts);
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->r, 2u);
}

TEST(ChronosPlan, AJobThatCannotMakeItGetsNothing) {
  for (const Strategy strategy : {Strategy::Clone, Strategy::Restart, Strategy::Resume}) {
    const auto choice = choose_copies(settings_of(strategy), {10, 20, 1, durations(19, 1.5, 2)});
    ASSERT_TRUE(choice);
    EXPECT_FALSE(choice->r);
  }
}

TEST(ChronosPlan, ADetectionAfterTheDeadlineGetsNothing) {
  const auto choice = choose_copies(settings_of(Strategy::Restart, {{"tau_est", "70s"}, {"tau_kill", "70s"}}),
                                    {10, 60, 1, durations(20, 1.5)});
  ASSERT_TRUE(choice);
  EXPECT_FALSE(choice->r);
}

TEST(ChronosPlan, TheReasonNamesPocdUtilityAndWhereDurationsComeFrom) {
  math::Durations known = durations(1.9, 1.8);
  known.samples = 214;
  known.beta_error = 0.123;
  const auto choice = choose_copies(settings_of(Strategy::Resume, {{"r", "2"}}), {10, 6, 1, known});
  ASSERT_TRUE(choice);
  EXPECT_TRUE(choice->why.starts_with("r = 2 (as told): PoCD 0.")) << choice->why;
  EXPECT_NE(choice->why.find(" -> 0.9"), std::string::npos) << choice->why;
  EXPECT_NE(choice->why.find("net utility -0.0"), std::string::npos) << choice->why;
  EXPECT_TRUE(choice->why.ends_with("t_min 1.9 s and beta 1.8 from the profile (214 attempts, beta +- 0.123)"))
      << choice->why;
}

TEST(ChronosPlan, WrongParametersAreRefused) {
  EXPECT_THROW(settings_of(Strategy::Restart, {{"tau_est", "0.6x"}, {"tau_kill", "0.3x"}}), std::invalid_argument);
  EXPECT_THROW(settings_of(Strategy::Restart, {{"r", "1.5"}}), std::invalid_argument);
  EXPECT_THROW(settings_of(Strategy::Restart, {{"r", "51"}}), std::invalid_argument);
  EXPECT_THROW(settings_of(Strategy::Restart, {{"r_min", "1"}}), std::invalid_argument);
  EXPECT_THROW(make_policy("clone", {{"tau_est", "1s"}}), std::invalid_argument);
  EXPECT_THROW(make_policy("s-restart", {{"handover", "ready"}}), std::invalid_argument);
}

TEST(ChronosPlan, TheChanceOfFreshAttemptsGrowsWithTheirNumberAndTheTimeLeft) {
  const math::Durations known = durations(1e-6, 2);
  EXPECT_EQ(chance_of_fresh(known, 1e6, 1, 3), 0);
  EXPECT_DOUBLE_EQ(chance_of_fresh(known, 1e6, 2, 1), 0.75);
  EXPECT_DOUBLE_EQ(chance_of_fresh(known, 1e6, 2, 2), 1 - 1.0 / 16);
  EXPECT_EQ(chance_of_fresh(known, 1e6, -1, 2), 0);
  EXPECT_TRUE(std::isnan(chance_of_fresh(durations(0, 2), 1e6, 2, 2)));
}

}  // namespace
}  // namespace ontime::scheduler
