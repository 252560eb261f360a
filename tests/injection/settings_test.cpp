#include "common/injection/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <sstream>

#include "tests/injection/injections.h"

namespace ontime::injection {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

Injection parsed(std::initializer_list<const char*> settings) {
  Injection injection;
  test::Traces traces;
  traces.files["google.txt"] = "# factors\n1\n\n 2.5 \r\n8";
  for (const char* setting : settings) {
    const Status applied = apply(injection, setting, traces);
    EXPECT_TRUE(applied) << (applied ? "" : applied.error().message);
  }
  return injection;
}

// One sentence that begins with the setting and says what was expected.
void expect_refused(const std::string& setting, const std::string& part) {
  Injection injection;
  test::Traces traces;
  traces.files["bad.txt"] = "1\nx\n";
  traces.files["empty.txt"] = "# nothing\n";
  const Status applied = apply(injection, setting, traces);
  ASSERT_FALSE(applied) << setting;
  EXPECT_EQ(applied.error().kind, ErrorKind::BadInput);
  EXPECT_THAT(applied.error().message, StartsWith(setting + ": "));
  EXPECT_THAT(applied.error().message, HasSubstr(part));
  EXPECT_EQ(applied.error().message.find('\n'), std::string::npos);
  EXPECT_EQ(injection, Injection{}) << "changed by a setting that was refused: " << setting;
}

TEST(Settings, EachKeyIsUnderstood) {
  EXPECT_EQ(parsed({"seed=18446744073709551615"}).seed, ~std::uint64_t{0});
  EXPECT_EQ(parsed({"pace=1500ms"}).pace, 1500ms);
  EXPECT_EQ(parsed({"straggler=0.1:8x"}).straggler, (Share{0.1, 8}));
  EXPECT_EQ(parsed({"slowdown=2x"}).slowdown, Distribution::constant(2));
  EXPECT_EQ(parsed({"slowdown=pareto:1.5"}).slowdown, Distribution::pareto(1, 1.5));
  EXPECT_EQ(parsed({"slowdown=lognormal:0.5"}).slowdown, Distribution::lognormal(1, 0.5));
  EXPECT_EQ(parsed({"slowdown=trace:google.txt"}).slowdown, Distribution::listed({1, 2.5, 8}));
  EXPECT_EQ(parsed({"slow-nodes=0.2:3x"}).slow_nodes, (Share{0.2, 3}));
  EXPECT_EQ(parsed({"launch=2s"}).launch, Distribution::constant(2));
  EXPECT_EQ(parsed({"launch=pareto:500ms:1.5"}).launch, Distribution::pareto(0.5, 1.5));
  EXPECT_EQ(parsed({"launch=lognormal:2s:0.3"}).launch, Distribution::lognormal(2, 0.3));
  EXPECT_EQ(parsed({"launch=uniform:500ms:2s"}).launch, Distribution::uniform(0.5, 2));
  EXPECT_EQ(parsed({"slowdown=exponential:1x:2x"}).slowdown, Distribution::shifted_exponential(1, 2));
  EXPECT_EQ(parsed({"start=8s"}).start, Distribution::constant(8));
  EXPECT_EQ(parsed({"start=uniform:1s:3s"}).start, Distribution::uniform(1, 3));
  EXPECT_EQ(parsed({"start=1s"}).start_of, StartOf::Segment);
  EXPECT_EQ(parsed({"start-of=attempt"}).start_of, StartOf::Attempt);
  EXPECT_EQ(parsed({"start-of=process"}).start_of, StartOf::Process);
  EXPECT_EQ(parsed({"reads-ahead=64KiB"}).reads_ahead, 64u << 10);
  EXPECT_EQ(parsed({"reads-ahead=all"}).reads_ahead, kAllAhead);
  const Injection paused = parsed({"pause=0.05:10s"});
  EXPECT_EQ(paused.pause_probability, 0.05);
  EXPECT_EQ(paused.pause, 10s);
  EXPECT_EQ(parsed({"crash=0.02"}).crash.probability, 0.02);
  EXPECT_EQ(parsed({"burn=2"}).burners, 2u);
}

TEST(Settings, NamesOfNodesMayHoldColons) {
  EXPECT_EQ(parsed({"node=host:4711:3x"}).nodes, (std::vector<NodeRule>{{"host:4711", 3}}));
}

TEST(Settings, NodesAndPlacesAddUpAndOthersAreReplaced) {
  const Injection injection = parsed({"node=a:2x", "node=b*:3x", "stall=task:3@64KiB", "stall=0.5", "stall=task:4@50%",
                                      "stall=task:3@7", "pace=1s", "pace=2s"});
  EXPECT_EQ(injection.nodes.size(), 2u);
  EXPECT_EQ(injection.stall.probability, 0.5);
  EXPECT_EQ(injection.stall.places, (std::vector<PlaceOfTask>{{4, 0.5}, {3, std::uint64_t{7}}}));
  EXPECT_EQ(injection.pace, 2s);
}

TEST(Settings, WhatCannotBeUnderstoodIsRefusedInASentence) {
  expect_refused("pace", "KEY=VALUE");
  expect_refused("speed=2s", "did you mean 'seed'?");
  expect_refused("frobnicate=2s", "choose one of: seed, pace, straggler");
  expect_refused("=2s", "there is no setting ''");
  expect_refused("seed=-1", "whole number");
  expect_refused("seed=1x", "whole number");
  expect_refused("pace=", "duration");
  expect_refused("pace=2", "duration");
  expect_refused("pace=25h", "at most 24h");
  expect_refused("straggler=0.1", "SHARE:FACTORx");
  expect_refused("straggler=8x", "SHARE:FACTORx");
  expect_refused("straggler=1.5:8x", "a share from 0 to 1, not '1.5'");
  expect_refused("straggler=nan:8x", "a share");
  expect_refused("straggler=0.1:8", "such as 8x, not '8'");
  expect_refused("straggler=0.1:0x", "from 0.001x");
  expect_refused("straggler=0.1:infx", "from 0.001x");
  expect_refused("slowdown=cauchy:2", "FACTORx, pareto:BETA");
  expect_refused("slowdown=pareto:", "tail index");
  expect_refused("slowdown=pareto:0", "tail index");
  expect_refused("slowdown=lognormal:-1", "standard deviation");
  expect_refused("slowdown=trace:missing.txt", "missing.txt");
  expect_refused("slowdown=trace:bad.txt", "bad.txt, line 2");
  expect_refused("slowdown=trace:empty.txt", "no factor");
  expect_refused("node=3x", "NAME:FACTORx");
  expect_refused("node=" + std::string(257, 'n') + ":2x", "NAME:FACTORx");
  expect_refused("slow-nodes=0.2", "SHARE:FACTORx");
  expect_refused("launch=soon", "duration");
  expect_refused("launch=2h", "at most 1h");
  expect_refused("launch=pareto:1.5", "pareto:TIME:BETA");
  expect_refused("launch=trace:x", "TIME, pareto");
  expect_refused("pause=10s", "PROBABILITY:TIME");
  expect_refused("pause=2:10s", "a share");
  expect_refused("stall=often", "probability");
  expect_refused("stall=task:3", "task:INDEX@BYTES");
  expect_refused("stall=task:x@3", "task:INDEX@BYTES");
  expect_refused("stall=task:3@100%", "below 100%");
  expect_refused("stall=task:3@much", "size");
  expect_refused("crash=1.1", "probability");
  expect_refused("burn=257", "from 0 to 256");
  expect_refused("start=2h", "at most 1h");
  expect_refused("start=soon", "write TIME, pareto:TIME:BETA");
  expect_refused("start-of=task", "expected segment, attempt or process, not 'task'");
  expect_refused("reads-ahead=much", "a size such as 64KiB, or all");
}

TEST(Settings, ATraceIsBounded) {
  std::string text;
  for (std::size_t i = 0; i < kTraceMax; ++i) text += "2\n";
  EXPECT_EQ(parse_trace(text)->size(), kTraceMax);
  EXPECT_FALSE(parse_trace(text + "2\n"));
}

RC_GTEST_PROP(Settings, ADescriptionIsSettingsThatGiveTheSame, ()) {
  const Injection injection = test::any_injection();
  std::istringstream words(describe(injection));
  Injection again;
  test::Traces traces;
  for (std::string word; words >> word;) {
    const Status applied = apply(again, word, traces);
    RC_ASSERT(applied.has_value());
  }
  RC_ASSERT(describe(again) == describe(injection));
  RC_ASSERT(again == injection);
}

TEST(Settings, ADescriptionHasRoundNumbersWhereTheyWereGiven) {
  EXPECT_EQ(describe(parsed({"stall=task:3@7%", "launch=0.3s"})), "seed=0 launch=300ms stall=task:3@7%");
  EXPECT_EQ(describe(parsed({"reads-ahead=64KiB", "start-of=attempt", "start=3s"})),
            "seed=0 start=3s start-of=attempt reads-ahead=65536");
}

RC_GTEST_PROP(Settings, AnyTextIsRefusedOrGivesAnInjectionWhoseSettingsGiveItAgain, ()) {
  const std::string key = *rc::gen::elementOf(
      std::vector<std::string>{"seed", "pace", "straggler", "slowdown", "node", "slow-nodes", "launch", "pause",
                               "stall", "crash", "burn", "start", "start-of", "reads-ahead"});
  const std::string value =
      *rc::gen::container<std::string>(rc::gen::elementOf(std::string("0123456789.:x@%se-paretoglnm")));
  Injection injection;
  test::Traces traces;
  if (!apply(injection, key, value, traces)) return;
  Injection again;
  for (const std::string& setting : settings_of(injection)) RC_ASSERT(apply(again, setting, traces).has_value());
  RC_ASSERT(describe(again) == describe(injection));
}

}  // namespace
}  // namespace ontime::injection
