// Slots with the real ontime-runner and a test application.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <asio/io_context.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>

#include "common/injection/wire.h"
#include "tests/worker/data/input_files.h"
#include "worker/agent/attempts/slots.h"

namespace ontime::worker {
namespace {

using testing::HasSubstr;

class RealRunner : public testing::Test {
 protected:
  RealRunner()
      : link(io.get_executor(), [this] { return start(); }),
        slots(io.get_executor(), {.slots = 2, .application_directories = {ONTIME_TEST_APPS, ONTIME_APPS}}, reports,
              link, outputs) {
    test::write_file(directory.file("input"), "one\ntwo\nthree\n");
    std::filesystem::create_directory(directory.file("_attempts"));
    EXPECT_TRUE(slots.start());
  }

  Result<StartedLauncher> start() {
    auto started = start_launcher(ONTIME_RUNNER);
    if (started) launcher_pid = started->pid;
    return started;
  }

  void set_up(const std::string& mode, std::uint32_t job = 1) { set_up_application("probe", "mode", mode, job); }
  void set_up_application(const std::string& name, const std::string& key, const std::string& value,
                          std::uint32_t job = 1) {
    wire::Order order;
    order.mutable_setup()->set_job(job);
    order.mutable_setup()->mutable_spec()->set_application(name);
    order.mutable_setup()->set_output(directory.file("_attempts"));
    auto& parameter = *order.mutable_setup()->mutable_spec()->add_parameters();
    parameter.set_key(key);
    parameter.set_value(value);
    ASSERT_TRUE(slots.obey(order));
  }

  void launch(std::uint32_t task, std::uint32_t job = 1, bool standby = false) {
    const InputFile file = test::describe(directory.file("input"));
    wire::Order order;
    order.mutable_launch()->set_standby(standby);
    auto& launch = *order.mutable_launch();
    launch.mutable_attempt()->set_job(job);
    launch.mutable_attempt()->set_task(task);
    launch.mutable_file()->set_path(file.path);
    launch.mutable_file()->set_size(file.size);
    launch.mutable_file()->set_version(file.version);
    launch.mutable_range()->set_end(file.size);
    ASSERT_TRUE(slots.obey(order));
  }

  void run_until(const std::function<bool()>& is_so) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    io.restart();
    while (!is_so() && io.run_one_until(limit) == 1) {
    }
    EXPECT_TRUE(is_so());
  }
  void run_until_over() {
    run_until([this] { return slots.attempt_count() == 0; });
  }

  // The answer to a cut that takes all it can get.
  wire::CutAnswer cut(std::uint32_t task) {
    wire::Order order;
    order.mutable_cut()->mutable_attempt()->set_job(1);
    order.mutable_cut()->mutable_attempt()->set_task(task);
    order.mutable_cut()->set_release(true);
    EXPECT_TRUE(slots.obey(order));
    run_until([this] { return newest().has_cut(); });
    return newest().cut();
  }

  const wire::Report& newest() { return reports.unacknowledged().back(); }
  static std::ptrdiff_t open_descriptors() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  }

  test::TemporaryDirectory directory;
  pid_t launcher_pid = 0;
  asio::io_context io{1};
  ReportLog reports;
  LauncherLink link;
  AttemptOutputs outputs{io.get_executor()};
  Slots slots;
};

TEST_F(RealRunner, MapsAttemptsOneAfterAnotherInOneProcess) {
  set_up("copy");
  for (std::uint32_t task = 0; task < 5; ++task) {
    launch(task);
    run_until_over();
    ASSERT_TRUE(newest().has_sealed());
    EXPECT_EQ(newest().sealed().output().records(), 3u);
    EXPECT_EQ(test::read_file(directory.file("_attempts/" + attempt_file_name({{JobId{1}, task}, 0}))),
              "one\ntwo\nthree\n");
  }
  EXPECT_EQ(slots.runner_count(), 1u);
  EXPECT_EQ(reports.last(), 10u);  // each: started, sealed
}

// A command that loads something before it reads: the start is no part of the pace.
TEST_F(RealRunner, TellsHowLongACommandTookToStart) {
  set_up_application("exec", "command", "sleep 0.3; cat");
  launch(0);
  run_until_over();
  ASSERT_TRUE(newest().has_sealed());
  const wire::SegmentTimes& times = newest().sealed().times();
  EXPECT_GE(Duration(times.first_ns()), std::chrono::milliseconds(300));
  EXPECT_GE(times.last_ns(), times.first_ns());
  EXPECT_GE(times.age_ns(), times.last_ns());
  EXPECT_GE(times.moves(), 1u);
  EXPECT_EQ(times.timed_bytes() > 0, times.moves() > 1);
}

TEST_F(RealRunner, TellsOfAStartThatHasNotEnded) {
  set_up_application("exec", "command", "sleep 1000");
  launch(0);
  run_until([this] { return reports.last() == 1; });
  google::protobuf::RepeatedPtrField<wire::AttemptProgress> progress;
  slots.add_progress(progress);
  ASSERT_EQ(progress.size(), 1);
  EXPECT_GT(progress[0].segment().age_ns(), 0);
  EXPECT_EQ(progress[0].segment().moves(), 0u);
}

TEST_F(RealRunner, ReportsACrash) {
  set_up("crash");
  launch(0);
  run_until_over();
  ASSERT_TRUE(newest().has_ended());
  EXPECT_EQ(newest().ended().failure(), wire::CRASHED);
  EXPECT_THAT(newest().ended().message(), HasSubstr("signal 6 (Aborted)"));
}

TEST_F(RealRunner, ReportsAnExit) {
  set_up("exit");
  launch(0);
  run_until_over();
  EXPECT_THAT(newest().ended().message(), HasSubstr("exited with status 7"));
}

TEST_F(RealRunner, ReportsWhatTheMapperThrew) {
  set_up("throw");
  launch(0);
  run_until_over();
  EXPECT_EQ(newest().ended().failure(), wire::THREW);
  EXPECT_THAT(newest().ended().message(), HasSubstr("this record makes no sense"));
}

TEST_F(RealRunner, KillsAnAttemptThatHangsAndSeesItsEnd) {
  set_up("hang");
  launch(0);
  run_until([this] { return reports.last() == 1; });
  wire::Order order;
  order.mutable_kill()->mutable_attempt()->set_job(1);
  ASSERT_TRUE(slots.obey(order));
  EXPECT_EQ(slots.attempt_count(), 0u);
  run_until([this] { return slots.runner_count() == 0; });
  EXPECT_EQ(reports.last(), 1u);
}

TEST_F(RealRunner, AnAttemptInsideARecordIsCutBehindIt) {
  set_up("hang");
  launch(0);
  run_until([this] { return reports.last() == 1; });
  EXPECT_EQ(cut(0).at(), 4u);  // behind "one"
  EXPECT_EQ(slots.attempt_count(), 1u);
}

TEST_F(RealRunner, AnAttemptWhoseCommandStartsIsCutBehindWhatItsPipeHolds) {
  std::string text;
  while (text.size() < 100'000) text += "line " + std::to_string(text.size()) + "\n";
  test::write_file(directory.file("input"), text);
  const std::string gate = directory.file("gate");
  ASSERT_EQ(::mkfifo(gate.c_str(), 0600), 0);
  set_up_application("exec", "command", "read go < " + gate + "; cat");
  launch(0);
  run_until([this] { return reports.last() == 1; });
  const std::uint64_t at = cut(0).at();
  EXPECT_GT(at, 0u);
  EXPECT_LT(at, 20'000u);
  std::ofstream(gate) << "go\n";  // the start is over
  run_until_over();
  ASSERT_TRUE(newest().has_sealed());
  EXPECT_EQ(newest().sealed().range().end(), at);
  EXPECT_EQ(test::read_file(directory.file("_attempts/t00000-a0")), text.substr(0, text.find('\n', at - 1) + 1));
}

TEST_F(RealRunner, HoldsAStandbyUntilItIsBegun) {
  set_up("copy");
  launch(0, 1, true);
  run_until([this] { return reports.last() == 1; });
  ASSERT_TRUE(newest().has_ready());
  EXPECT_EQ(slots.attempt_count(), 1u);
  wire::Order order;
  order.mutable_begin()->mutable_attempt()->set_job(1);
  order.mutable_begin()->mutable_range()->set_begin(2);
  order.mutable_begin()->mutable_range()->set_end(8);
  ASSERT_TRUE(slots.obey(order));
  run_until_over();
  EXPECT_EQ(reports.last(), 3u);  // ready, started, sealed
  EXPECT_EQ(newest().sealed().range().begin(), 2u);
  EXPECT_EQ(test::read_file(directory.file("_attempts/t00000-a0")), "two\n");
}

TEST_F(RealRunner, CrashesOnPurposeAndSaysSo) {
  injection::Injection injection;
  injection.crash.places = {{0, 0.5}};
  wire::ToWorker::Welcome welcome;
  *welcome.mutable_injection() = injection::to_wire(injection);
  ASSERT_TRUE(slots.begin_session(welcome));
  set_up("copy");
  launch(0);
  run_until_over();
  EXPECT_EQ(newest().ended().failure(), wire::CRASHED);
  EXPECT_THAT(newest().ended().message(), HasSubstr("up to byte 8"));
  EXPECT_THAT(newest().ended().stderr_tail(), HasSubstr("crashes at byte 8 on purpose"));
}

TEST_F(RealRunner, OutlivesItsLauncher) {
  set_up("hang");
  launch(0);
  run_until([this] { return reports.last() == 1; });
  // One more, to its end: the launcher has told of the first then, so that its whole process group can be killed.
  set_up("copy", 2);
  launch(0, 2);
  run_until([this] { return slots.attempt_count() == 1; });
  ::kill(launcher_pid, SIGKILL);
  run_until_over();
  EXPECT_EQ(newest().ended().failure(), wire::LAUNCH);
  ASSERT_TRUE(slots.begin_session({}));
  set_up("copy");
  launch(1);
  run_until_over();
  EXPECT_TRUE(newest().has_sealed());
}

TEST_F(RealRunner, GivesDescriptorsBackAfterEveryCrash) {
  set_up("crash");
  const auto before = open_descriptors();
  for (std::uint32_t task = 0; task < 10; ++task) {
    launch(task);
    run_until([this] { return slots.runner_count() == 0; });
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(slots.attempt_count(), 0u);
}

TEST(LauncherStart, NamesAProgramThatIsNotThere) {
  const auto started = start_launcher("/nowhere/ontime-runner");
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message, HasSubstr("/nowhere/ontime-runner"));
}

}  // namespace
}  // namespace ontime::worker
