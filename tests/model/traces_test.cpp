// What the formal model says of recordings: nothing of true ones (each test of tests/system looks at its own), and what
// is wrong of false ones.
#include "tests/model/traces.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <utility>

#include "master/recording/recorder.h"
#include "tests/scheduler/scheduler_fixture.h"
#include "tests/support/temporary_directory.h"

namespace ontime::model {
namespace {

using scheduler::Event;
using scheduler::Step;
using scheduler::test::World;
namespace event = scheduler::event;
namespace fact = scheduler::fact;

// A master's life that is recorded, in which `falsify` may change the records of each step.
class RecordedLife {
 public:
  using Falsify = std::function<void(const Event*, Step&)>;

  Trace check(const Falsify& falsify) {
    std::filesystem::create_directory(directory_ / "journal");
    {
      recording::Recorder recorder({.directory = directory_ / "journal/recordings", .on_stop = {}});
      bool has_begun = false;
      World world({}, [&](const Event* event, TimePoint now, Step step) {
        if (!std::exchange(has_begun, true)) recorder.begin(1, {});
        falsify(event, step);
        recorder.add_step(event, now, step);
      });
      world.register_node("n");
      world.register_node("m");
      const JobId job = world.submit(20, 10);
      for (std::uint32_t task = 0; task < 2; ++task) {
        world.start_attempt({{job, task}, 0});
        world.seal_all({{job, task}, 0});
      }
      world.commit(job);
    }
    return check_recordings_of(directory_ / "journal");
  }

 private:
  test::TemporaryDirectory directory_;
};

TEST(Traces, AreApprovedIfTheyAreTrue) {
  const Trace trace = RecordedLife().check([](const Event*, Step&) {});
  EXPECT_EQ(trace.broken + trace.unread, "");
  EXPECT_GT(trace.facts, 8u);
  EXPECT_GT(trace.steps, trace.facts / 2);
}

TEST(Traces, AreRefusedIfAFactIsLeftOut) {
  const Trace trace = RecordedLife().check([](const Event* event, Step& step) {
    if (event != nullptr && std::holds_alternative<event::JobSubmitted>(*event)) step.records.pop_back();
  });
  EXPECT_NE(trace.broken.find("attempt"), std::string::npos) << trace.broken;
}

TEST(Traces, AreRefusedIfNothingHasCausedAFact) {
  const Trace trace = RecordedLife().check([](const Event* event, Step& step) {
    if (event == nullptr || !std::holds_alternative<event::SegmentSealed>(*event)) return;
    for (auto& record : step.records) {
      if (auto* sealed = std::get_if<fact::SegmentSealed>(&record.fact)) ++sealed->output.records;
    }
  });
  EXPECT_NE(trace.broken.find("nothing has caused it"), std::string::npos) << trace.broken;
}

TEST(Traces, AreRefusedIfAJobSucceedsTwice) {
  const Trace trace = RecordedLife().check([](const Event* event, Step& step) {
    if (event != nullptr && std::holds_alternative<event::CommitFinished>(*event))
      step.records.push_back(step.records.front());
  });
  EXPECT_NE(trace.broken.find("a job ends once"), std::string::npos) << trace.broken;
}

}  // namespace
}  // namespace ontime::model
