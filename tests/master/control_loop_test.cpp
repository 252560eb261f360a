// Order and durability of the control loop, with a journal that the test holds back.
#include "master/loop/control_loop.h"

#include <gtest/gtest.h>

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/master/gated_journal.h"

namespace ontime::master {
namespace {

namespace event = scheduler::event;
namespace action = scheduler::action;

// Writes down what is performed, in order.
class Recorder : public ActionPerformer {
 public:
  void perform(const scheduler::Action& action) override {
    if (const auto* answer = std::get_if<action::AnswerSubmit>(&action)) {
      seen.push_back("answer " + std::to_string(answer->request));
    } else if (const auto* welcome = std::get_if<action::WelcomeNode>(&action)) {
      seen.push_back("welcome " + to_string(welcome->node));
    } else if (const auto* launch = std::get_if<action::LaunchAttempt>(&action)) {
      seen.push_back("launch " + to_string(launch->attempt));
    } else {
      seen.push_back("other");
    }
  }
  void flush() override { ++flushes; }
  void observe(const scheduler::JournalRecord&) override { ++records; }

  std::vector<std::string> seen;
  int flushes = 0;
  std::size_t records = 0;
};

class ControlLoopTest : public testing::Test {
 protected:
  ControlLoopTest() { control_.start(); }

  void submit(std::uint64_t request) {
    scheduler::JobSpec spec;
    spec.application = "a";
    spec.inputs = {{"/input", 100, "0", Codec::Plain}};
    spec.output = "/output";
    control_.step(event::JobSubmitted{request, spec});
  }
  // Until all is performed that can be: the rest waits for the journal.
  void settle() {
    for (bool done = false; !done;) {
      done = control_.is_settled() || journal_.is_waiting() || !failures_.empty();
      io_.restart();
      io_.poll();
      std::this_thread::yield();
    }
  }
  void settle_when_full() {
    while (control_.journal_full().empty()) {
      io_.restart();
      io_.poll();
    }
  }

  asio::io_context io_{1};
  test::GatedJournal journal_;
  scheduler::Scheduler scheduler_{scheduler::Settings{}};
  Recorder recorder_;
  std::vector<std::string> failures_;
  ControlLoop control_{{io_.get_executor(), scheduler_, recorder_, journal_},
                       Clock(TimePoint{}),
                       [this](const Error& error) { failures_.push_back(error.message); }};
};

// On the journal's thread, or, with a journal that waits for no disk, on the control thread.
class ControlLoopOnEitherThread : public ControlLoopTest, public testing::WithParamInterface<bool> {
 protected:
  ControlLoopOnEitherThread() { journal_.be_quick(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Quick, ControlLoopOnEitherThread, testing::Bool());

TEST_P(ControlLoopOnEitherThread, WritesThere) {
  submit(1);
  settle();
  EXPECT_EQ(recorder_.seen, (std::vector<std::string>{"answer 1"}));
  EXPECT_EQ(journal_.writer() == std::this_thread::get_id(), GetParam());
}

TEST_F(ControlLoopTest, PerformsNothingBeforeItIsDurable) {
  journal_.shut();
  submit(1);
  settle();
  EXPECT_TRUE(journal_.is_waiting());
  EXPECT_TRUE(recorder_.seen.empty());
  EXPECT_EQ(recorder_.records, 0u);
  journal_.open();
  settle();
  EXPECT_EQ(recorder_.seen, (std::vector<std::string>{"answer 1"}));
  EXPECT_GT(recorder_.records, 0u);
}

TEST_F(ControlLoopTest, GathersWhileABatchIsBeingWritten) {
  settle();
  const int before = journal_.batches();
  journal_.shut();
  submit(1);
  settle();
  for (std::uint64_t request = 2; request <= 50; ++request) {
    submit(request);
    settle();
  }
  EXPECT_TRUE(recorder_.seen.empty());
  journal_.open();
  settle();
  EXPECT_EQ(recorder_.seen.size(), 50u);
  EXPECT_EQ(journal_.batches(), before + 2);
}

TEST_F(ControlLoopTest, PutsOneTurnsStepsIntoOneBatch) {
  settle();
  const int before = journal_.batches();
  const int flushes = recorder_.flushes;
  for (std::uint64_t request = 1; request <= 20; ++request) submit(request);
  settle();
  EXPECT_EQ(journal_.batches(), before + 1);
  EXPECT_EQ(recorder_.flushes, flushes + 1);
}

TEST_F(ControlLoopTest, KeepsStepsAndDeferredEffectsInOrder) {
  journal_.shut();
  submit(1);
  control_.defer([this] { recorder_.seen.push_back("first"); });
  settle();
  control_.defer([this] { recorder_.seen.push_back("second"); });  // brings no record, waits all the same
  submit(2);
  control_.defer([this] { recorder_.seen.push_back("third"); });
  settle();
  EXPECT_TRUE(recorder_.seen.empty());
  journal_.open();
  settle();
  EXPECT_EQ(recorder_.seen, (std::vector<std::string>{"answer 1", "first", "second", "answer 2", "third"}));
}

TEST_F(ControlLoopTest, PerformsStepsWithoutRecordsWithoutTheJournal) {
  settle();
  journal_.shut();
  control_.defer([this] { recorder_.seen.push_back("at once"); });
  settle();
  EXPECT_EQ(recorder_.seen, (std::vector<std::string>{"at once"}));
  journal_.open();
}

TEST_F(ControlLoopTest, LetsEffectsStep) {
  control_.defer([this] { submit(1); });
  settle();
  EXPECT_EQ(recorder_.seen, (std::vector<std::string>{"answer 1"}));
}

TEST_P(ControlLoopOnEitherThread, PerformsNothingMoreAfterAFailedWrite) {
  settle();
  journal_.fail_from_now_on("The disk is full.");
  submit(1);
  settle();
  submit(2);
  settle();
  EXPECT_EQ(failures_, (std::vector<std::string>{"The disk is full."}));
  EXPECT_TRUE(recorder_.seen.empty());
}

TEST_P(ControlLoopOnEitherThread, WaitsForRoomAndThenPerformsWhatItHeldBack) {
  settle();
  journal_.fill("The disk is full.");
  submit(1);
  settle_when_full();
  EXPECT_EQ(control_.journal_full(), "The disk is full.");
  submit(2);
  EXPECT_TRUE(recorder_.seen.empty());
  journal_.fill("");
  settle();
  EXPECT_EQ(control_.journal_full(), "");
  EXPECT_EQ(recorder_.seen, (std::vector<std::string>{"answer 1", "answer 2"}));
  EXPECT_TRUE(failures_.empty());
}

// Who asks in the very moment in which the disk fills up must not wait until there is room.
TEST_F(ControlLoopTest, TellsWhoAskedBeforeThereWasNoRoomThatItIsNotDurable) {
  settle();
  journal_.shut();
  submit(1);
  settle();
  submit(2);
  std::vector<bool> told;
  const auto ask = [&] {
    asio::co_spawn(io_, control_.durable_unless_full(), [&](std::exception_ptr, bool is) { told.push_back(is); });
  };
  ask();  // waits for the batch after the one that is being written
  settle();
  EXPECT_TRUE(told.empty());
  journal_.fill("The disk is full.");
  journal_.open();
  settle_when_full();
  EXPECT_EQ(told, (std::vector<bool>{false}));
  ask();
  journal_.fill("");
  settle();
  EXPECT_EQ(told, (std::vector<bool>{false, false}));
  submit(3);
  ask();
  settle();
  EXPECT_EQ(told, (std::vector<bool>{false, false, true}));
}

TEST_F(ControlLoopTest, TellsWhenWhatWasSubmittedIsDurable) {
  journal_.shut();
  submit(1);
  bool durable = false;
  asio::co_spawn(io_, control_.durable(), [&](std::exception_ptr) { durable = true; });
  settle();
  EXPECT_FALSE(durable);
  journal_.open();
  settle();
  EXPECT_TRUE(durable);
}

TEST(Clock, NeverRunsBehindTheJournal) {
  const TimePoint future = TimePoint(std::chrono::system_clock::now().time_since_epoch()) + std::chrono::hours(100);
  EXPECT_GE(Clock(future).now(), future);
  const Clock clock(TimePoint{});
  const TimePoint once = clock.now();
  EXPECT_GE(clock.now(), once);
  EXPECT_GT(once, from_unix_ns(1'000'000'000'000'000'000));
}

}  // namespace
}  // namespace ontime::master
