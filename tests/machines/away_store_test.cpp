// A store that is away for a minute is waited for, and one that stays away is named as the cause before the scheduler
// takes the attempt for one that stands still: in virtual time, through what ships.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <chrono>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>

#include "scheduler/core/timers.h"
#include "tests/machines/object_store.h"
#include "tests/machines/small_cluster.h"
#include "worker/agent/attempts/attempt_outputs.h"
#include "worker/data/input_source.h"

namespace ontime::lab::machines::test {
namespace {

using namespace std::chrono_literals;

enum class Away { Refuses, Answers503 };

class AwayStore : public testing::TestWithParam<Away> {
 protected:
  AwayStore() {
    store_.name_in_environment();
    store_.put("in", content_);
    process_ = store_.start().id();
    small_.pass(1ms);
    small_.run(small_.other, [] { ASSERT_EQ(::mkdir("/tmp", 0777), 0); });
  }
  void leave() {
    if (GetParam() == Away::Answers503) store_.trouble = {.status = 503, .refuses = 1};
    if (GetParam() == Away::Refuses) small_.cluster.send_signal(process_, SIGKILL);
  }
  void come_back() {
    store_.trouble = {};
    if (GetParam() == Away::Refuses) process_ = store_.start().id();
  }
  void come_back_after(Duration time) {
    small_.cluster.world.at(small_.cluster.world.now() + time, [this] { come_back(); });
  }
  // By its second half, which is read after the store has left.
  worker::Outcome<std::size_t> read(std::optional<Duration> comes_back_after) {
    worker::Outcome<std::size_t> read = worker::Fault{worker::FaultKind::Node, "not yet"};
    small_.run(small_.other, [&] {
      const auto& stored = store_.objects().at("in");
      auto input =
          worker::open_input({store_.endpoint() + "/lab/in", stored.bytes.size(), stored.version, Codec::Plain});
      ASSERT_TRUE(input) << input.error().message;
      std::string half(content_.size() / 2, '\0');
      leave();
      if (comes_back_after) come_back_after(*comes_back_after);
      read = (*input)->read_at(half.data(), half.size(), half.size());
    });
    return read;
  }
  Status store(std::optional<Duration> comes_back_after) {
    Status synced = failed("not yet");
    small_.run(small_.other, [&] {
      asio::io_context io;
      worker::AttemptOutputs outputs(io.get_executor());
      auto output = outputs.create("s3://lab/out/_attempts/one", {{JobId{1}, 0}, 0});
      ASSERT_TRUE(output) << output.error().message;
      std::FILE* const file = std::fopen((*output)->path().c_str(), "w");
      ASSERT_NE(file, nullptr);
      std::fputs("hello", file);
      std::fclose(file);
      leave();
      if (comes_back_after) come_back_after(*comes_back_after);
      const auto work = asio::make_work_guard(io);
      (*output)->sync({0, 5}, [&](const Status& status) {
        synced = status;
        io.stop();
        return true;
      });
      io.run();
    });
    return synced;
  }
  Duration took(const std::function<void()>& body) {
    const TimePoint began = small_.cluster.world.now();
    body();
    return small_.cluster.world.now() - began;
  }
  // While everything else of the job goes by in no time.
  static Duration patience_of_the_scheduler(std::uint64_t offset) {
    scheduler::JobSpec spec;
    spec.inputs = {{"s3://lab/in", 100, "1", Codec::Plain}};
    scheduler::Job job(spec);
    for (int i = 0; i < 3; ++i) {
      job.between_offsets.add(1ms);
      job.to_seal.add(1ms);
    }
    scheduler::Attempt attempt;
    attempt.state = scheduler::AttemptState::Running;
    attempt.offset = offset;
    scheduler::Segment segment;
    segment.range = attempt.held = {0, 100};
    return *progress_limit(job, attempt, segment, {});
  }

  SmallCluster small_;
  ObjectStore store_{small_.cluster, small_.one};
  const std::string content_ = std::string(1'000'000, 'x');
  pid_t process_ = 0;
};

TEST_P(AwayStore, IsWaitedForByWhoReadsForAMinute) {
  const Duration time = took([&] {
    const auto bytes = read(60s);
    EXPECT_TRUE(bytes) << bytes.error().message;
  });
  EXPECT_GE(time, 60s);
}

TEST_P(AwayStore, IsWaitedForByWhoStoresForAMinute) {
  const Duration time = took([&] {
    const Status stored = store(60s);
    EXPECT_TRUE(stored) << stored.error().message;
  });
  EXPECT_GE(time, 60s);
}

TEST_P(AwayStore, ThatDoesNotComeBackIsTheCauseAndNotAnAttemptThatStandsStill) {
  const Duration time = took([&] {
    const auto bytes = read(std::nullopt);
    ASSERT_FALSE(bytes);
    EXPECT_EQ(bytes.error().kind, worker::FaultKind::Away) << bytes.error().message;
  });
  EXPECT_LT(time, patience_of_the_scheduler(50));
  come_back();
  const Duration time_to_store = took([&] {
    const Status stored = store(std::nullopt);
    ASSERT_FALSE(stored);
    EXPECT_EQ(stored.error().kind, ErrorKind::Unavailable) << stored.error().message;
  });
  EXPECT_LT(time_to_store, patience_of_the_scheduler(100));
}

INSTANTIATE_TEST_SUITE_P(All, AwayStore, testing::Values(Away::Refuses, Away::Answers503), [](const auto& of) {
  return of.param == Away::Refuses ? "ThatRefusesConnections" : "ThatAnswers503";
});

}  // namespace
}  // namespace ontime::lab::machines::test
