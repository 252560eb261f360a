#include "common/injection/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_directory.h"

namespace ontime::injection {
namespace {

using namespace std::chrono_literals;
using ontime::test::TemporaryDirectory;
using ontime::test::write_file;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Load, NoFlagIsNoInjection) {
  EXPECT_FALSE(load({})->has_value());
  EXPECT_FALSE(load({.file = {}, .settings = {}, .seed = 7})->has_value());
}

TEST(Load, SettingsWinOverTheFileAndTheSeedOverBoth) {
  const TemporaryDirectory directory;
  write_file(directory / "stragglers.yaml", "seed: 1\npace: 2s\nstraggler: 0.1:8x\n");
  const auto loaded = load({directory / "stragglers.yaml", {"pace=3s", "seed=2"}, 3});
  ASSERT_TRUE(loaded && *loaded);
  EXPECT_EQ((*loaded)->pace, 3s);
  EXPECT_EQ((*loaded)->straggler.factor, 8);
  EXPECT_EQ((*loaded)->seed, 3u);
}

TEST(Load, ATraceIsLookedForBesideTheFile) {
  const TemporaryDirectory directory;
  write_file(directory / "experiments/stragglers.yaml", "slowdown: trace:factors.txt\n");
  write_file(directory / "experiments/factors.txt", "2\n3\n");
  const auto loaded = load({directory / "experiments/stragglers.yaml", {}, {}});
  ASSERT_TRUE(loaded && *loaded) << loaded.error().message;
  EXPECT_EQ((*loaded)->slowdown, Distribution::listed({2, 3}));
  const auto by_flag = load({{}, {"slowdown=trace:" + directory / "experiments/factors.txt"}, {}});
  EXPECT_TRUE(by_flag && *by_flag);
}

TEST(Load, FaultsNameTheFlagAndTheFile) {
  const TemporaryDirectory directory;
  write_file(directory / "bad.yaml", "pace: 2\n");
  const auto refused = [](const Flags& flags) { return load(flags).error().message; };
  EXPECT_THAT(refused({{}, {"pace=2"}, {}}), StartsWith("--inject pace=2: "));
  EXPECT_THAT(refused({directory / "bad.yaml", {}, {}}),
              StartsWith("--injection " + directory / "bad.yaml" + ", line 1"));
  EXPECT_THAT(refused({"/nowhere.yaml", {}, {}}), HasSubstr("'/nowhere.yaml' cannot be read: No such file"));
  EXPECT_THAT(refused({directory.path(), {}, {}}), HasSubstr("cannot be read"));
  EXPECT_THAT(refused({{}, {"slowdown=trace:/nowhere"}, {}}), HasSubstr("/nowhere"));
}

TEST(Load, AHugeFileIsRefused) {
  const TemporaryDirectory directory;
  write_file(directory / "huge.yaml", std::string((4u << 20) + 1, '#'));
  EXPECT_THAT(load({directory / "huge.yaml", {}, {}}).error().message, HasSubstr("larger than 4 MiB"));
}

}  // namespace
}  // namespace ontime::injection
