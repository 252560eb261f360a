#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/injection/settings.h"
#include "tests/injection/injections.h"

namespace ontime::injection {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

Injection parsed(const std::string& text) {
  Injection injection;
  test::Traces traces;
  const Status applied = apply_document(injection, text, traces);
  EXPECT_TRUE(applied) << (applied ? "" : applied.error().message);
  return injection;
}

void expect_refused(const std::string& text, const std::string& begin, const std::string& part) {
  Injection injection;
  test::Traces traces;
  const Status applied = apply_document(injection, text, traces);
  ASSERT_FALSE(applied) << text;
  EXPECT_EQ(applied.error().kind, ErrorKind::BadInput);
  EXPECT_THAT(applied.error().message, StartsWith(begin));
  EXPECT_THAT(applied.error().message, HasSubstr(part));
}

TEST(Document, HoldsTheSettingsAsTheyAreWritten) {
  const Injection injection = parsed(
      "# a comment\n"
      "seed: 7\n"
      "pace: 2s\n"
      "straggler: 0.1:8x\n"
      "node:\n"
      "  - worker-3:3x\n"
      "  - 'rack-*:1.5x'\n"
      "launch: lognormal:2s:0.3\n"
      "pause: 0.05:10s\n"
      "stall: [task:3@50%, 0.01]\n"
      "crash: task:4@64KiB\n");
  EXPECT_EQ(injection.seed, 7u);
  EXPECT_EQ(injection.pace, 2s);
  EXPECT_EQ(injection.straggler, (Share{0.1, 8}));
  EXPECT_EQ(injection.nodes, (std::vector<NodeRule>{{"worker-3", 3}, {"rack-*", 1.5}}));
  EXPECT_EQ(injection.launch, Distribution::lognormal(2, 0.3));
  EXPECT_EQ(injection.pause, 10s);
  EXPECT_EQ(injection.stall.probability, 0.01);
  EXPECT_EQ(injection.stall.places, (std::vector<PlaceOfTask>{{3, 0.5}}));
  EXPECT_EQ(injection.crash.places, (std::vector<PlaceOfTask>{{4, std::uint64_t{65536}}}));
}

TEST(Document, AnEmptyOneSaysNothing) {
  EXPECT_EQ(parsed(""), Injection{});
  EXPECT_EQ(parsed("# nothing\n"), Injection{});
}

TEST(Document, FaultsAreNamedWithTheirLine) {
  expect_refused("seed: 7\nspeed: 2s\n", "line 2: speed=2s: ", "there is no setting");
  expect_refused("seed: 7\npace: 2\n", "line 2: pace=2: ", "duration");
  expect_refused("node:\n  - a:2x\n  - b\n", "line 3: node=b: ", "NAME:FACTORx");
  expect_refused("pace: 1s\npace: 2s\n", "line 2: ", "twice");
  expect_refused("pace: {a: b}\n", "line 1: ", "a text as after --inject pace=");
  expect_refused("pace:\n", "line ", "a text as after --inject pace=");
  expect_refused("node: [[a]]\n", "line 1: ", "a text as after --inject node=");
  expect_refused("[a]: b\n", "line 1: ", "name of a setting");
  expect_refused("- pace\n", "line 1: ", "KEY: VALUE");
  expect_refused("just words\n", "line 1: ", "KEY: VALUE");
  expect_refused("pace: [1s\n", "line ", "not valid YAML");
  expect_refused("node: *:2x\n", "line 1: ", "not valid YAML");
}

}  // namespace
}  // namespace ontime::injection
