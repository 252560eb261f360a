// What `ontime replay` says of decisions that do harm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "lab/verbs/command.h"
#include "master/recording/block.h"
#include "master/recording/recorder.h"
#include "scheduler/policies/parameters.h"
#include "tests/scheduler/four_tasks.h"
#include "tests/support/temporary_directory.h"

namespace ontime::lab {
namespace {

using cli::ExitCode;
using scheduler::test::times_of;
using scheduler::test::World;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class RecordedWorld : public testing::Test {
 protected:
  std::string recorded() {
    recorder_.reset();
    return recording::list_epochs(directory_ / "recordings").back().path;
  }

 private:
  void record(const scheduler::Event* event, TimePoint now, const scheduler::Step& step) {
    if (event == nullptr) recorder_->begin(1, {"a cluster", now, std::chrono::milliseconds(200), {}});
    recorder_->add_step(event, now, step);
  }

  test::TemporaryDirectory directory_;
  std::unique_ptr<recording::Recorder> recorder_ =
      std::make_unique<recording::Recorder>(recording::Recorder::Options{directory_ / "recordings", 1u << 30, {}});

 protected:
  World world_{{}, [this](const auto&... step) { record(step...); }};
};

class ReplayTest : public scheduler::test::FourTasksTest<RecordedWorld> {
 protected:
  // Its estimate says that a copy gains something. Ontime's test of worth knows that half a start has to be gained.
  void run_with_a_small_gain(const std::string& as_written) {
    scheduler::JobSpec spec = World::quiet_spec();
    spec.policy = "hadoop";
    spec.policy_parameters[std::string(scheduler::kAsWritten)] = as_written;
    run(spec);
    report(2, 900, times_of(10.9, 8, 10.7, 9));
    report(3, 264, times_of(11, 8, 10.9, 10));
    wait(2);
  }
  struct Answer {
    ExitCode exit;
    std::string text;
  };
  static Answer replay(const std::string& file, bool strict) {
    ReplayCommand command;
    command.recording = file;
    command.strict = strict;
    testing::internal::CaptureStdout();
    const auto exit = execute(command);
    std::string text = testing::internal::GetCapturedStdout();
    if (!exit) return {ExitCode::BadUsage, exit.error().message};
    return {*exit, std::move(text)};
  }
};

TEST_F(ReplayTest, FindsDecisionsThatDoHarm) {
  run_with_a_small_gain("yes");
  ASSERT_EQ(world_.job(job_).decisions.size(), 1U);
  const std::string file = recorded();
  const Answer spared = replay(file, false);
  EXPECT_EQ(spared.exit, ExitCode::Done);
  EXPECT_THAT(spared.text, AllOf(HasSubstr("identical"), Not(HasSubstr("HARM"))));
  const Answer strict = replay(file, true);
  EXPECT_EQ(strict.exit, ExitCode::Failed);
  EXPECT_THAT(strict.text, AllOf(HasSubstr("HARM job-1/t00003/a0: a copy (slow) 12.00 s after the job's submission: "),
                                 HasSubstr("it was to gain 639.6 ms and had to gain 4.00 s")));
}

TEST_F(ReplayTest, FindsNoneWherePoliciesAreHeldBack) {
  run_with_a_small_gain("no");
  EXPECT_EQ(world_.job(job_).decisions.size(), 0U);
  EXPECT_EQ(replay(recorded(), true).exit, ExitCode::Done);
}

}  // namespace
}  // namespace ontime::lab
