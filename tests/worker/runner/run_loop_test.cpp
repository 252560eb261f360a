// The run loop in this process, on a thread, with an application from a shared object.
#include "worker/runner/run_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "common/base/byte_range.h"
#include "common/base/crc32c.h"
#include "tests/worker/data/input_files.h"
#include "tests/worker/runner/fake_worker.h"

namespace ontime::worker {
namespace {

using namespace test;
using testing::HasSubstr;

class RunnerThread {
 public:
  explicit RunnerThread(const wire::ToRunner& setup, std::size_t block_bytes = RecordReader::kBlockBytes)
      : sockets_(make_socket_pair()), reader_(sockets_.ours.get()) {
    send_message(sockets_.ours.get(), setup);
    thread_ = std::thread([this, block_bytes, socket = sockets_.theirs.release()] {
      RunnerChannel channel{Descriptor(socket)};
      status_ = RunLoop(channel, *block_, block_bytes).serve();
    });
  }
  ~RunnerThread() { finish(); }

  std::vector<wire::FromRunner> run(const wire::ToRunner& order) {
    send_message(sockets_.ours.get(), order);
    return read_attempt(reader_);
  }
  int finish() {
    sockets_.ours.close();
    if (thread_.joinable()) thread_.join();
    return status_;
  }
  SharedBlock& block() { return block_; }

 private:
  SocketPair sockets_;
  SharedBlock block_;
  MessageReader<wire::FromRunner> reader_;
  std::thread thread_;
  int status_ = -1;
};

class RunLoopTest : public testing::Test {
 protected:
  InputFile input(std::string_view content) {
    write_file(directory_.file("input"), content);
    return describe(directory_.file("input"));
  }
  std::string output_path() const { return directory_.file("out"); }
  std::string output() const { return read_file(output_path()); }

  // The failure that an attempt over a small input ends with.
  wire::Ended failure(const wire::ToRunner& setup) {
    RunnerThread runner(setup);
    std::filesystem::remove(output_path());
    const auto messages = runner.run(make_run(input("one\ntwo\n"), 0, 8, output_path()));
    EXPECT_TRUE(!messages.empty() && messages.back().has_failed());
    EXPECT_EQ(runner.finish(), 1);
    if (messages.empty()) return {};
    EXPECT_EQ(messages.back().attempt().task(), 2u);
    return messages.back().failed();
  }

  const TemporaryDirectory directory_;
};

TEST_F(RunLoopTest, AnAttemptStartsSealsAndFinishes) {
  RunnerThread runner(make_setup({}));
  const auto messages = runner.run(make_run(input("one\ntwo\nthree"), 0, 13, output_path()));
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_TRUE(messages[0].has_started());
  ASSERT_TRUE(messages[1].has_sealed());
  EXPECT_TRUE(messages[2].has_finished());
  for (const auto& message : messages) EXPECT_EQ(message.attempt().number(), 3u);
  const auto& sealed = messages[1].sealed();
  EXPECT_EQ(sealed.range().end(), 13u);
  EXPECT_EQ(sealed.input_end(), 13u);
  EXPECT_EQ(sealed.output().length(), 13u);
  EXPECT_EQ(sealed.output().records(), 3u);
  EXPECT_EQ(sealed.output().crc32c(), crc32c("one\ntwo\nthree"));
  ASSERT_EQ(sealed.output().counters_size(), 1);
  EXPECT_EQ(sealed.output().counters(0).group(), "probe");
  EXPECT_EQ(sealed.output().counters(0).name(), "bytes");
  EXPECT_EQ(sealed.output().counters(0).value(), 13u);
  EXPECT_EQ(output(), "one\ntwo\nthree");
  EXPECT_EQ(runner.block()->offset.load(), 13u);
  EXPECT_EQ(runner.block()->records.load(), 3u);
  EXPECT_EQ(runner.block()->output_bytes.load(), 13u);
  EXPECT_EQ(runner.finish(), 0);
}

TEST_F(RunLoopTest, OneRunnerServesManyAttemptsAndReportsOnlyNewCounts) {
  RunnerThread runner(make_setup({}));
  const InputFile file = input("one\ntwo\nthree\n");
  for (int i = 0; i < 50; ++i) {
    std::filesystem::remove(output_path());
    const auto messages = runner.run(make_run(file, 4, 8, output_path()));
    ASSERT_EQ(messages.size(), 3u);
    EXPECT_EQ(messages[1].sealed().output().counters(0).value(), 4u);
    EXPECT_EQ(messages[1].sealed().output().file_offset(), 0u);
    EXPECT_EQ(output(), "two\n");
  }
}

TEST_F(RunLoopTest, RecordsThatAreNotToBeMappedTwiceAreClaimedOneAtATime) {
  std::string lines;
  for (int i = 0; i < 300; ++i) lines += "line\n";
  const InputFile file = input(lines);
  const auto batches = [&](const std::string& race) {
    wire::ToRunner setup = make_setup({{"mode", "batches"}});
    auto& parameter =
        *setup.mutable_setup()->mutable_job()->mutable_spec()->mutable_settings()->add_policy_parameters();
    parameter.set_key("race");
    parameter.set_value(race);
    RunnerThread runner(setup);
    std::filesystem::remove(output_path());
    for (const auto& message : runner.run(make_run(file, 0, lines.size(), output_path()))) {
      for (const auto& counter : message.sealed().output().counters())
        if (counter.name() == "batches") return counter.value();
    }
    return std::uint64_t{0};
  };
  EXPECT_EQ(batches("no"), 300u);
  EXPECT_LT(batches("yes"), 300u);
}

TEST_F(RunLoopTest, ARangeWithoutARecordSealsNothingButIsSealed) {
  RunnerThread runner(make_setup({}));
  const auto messages = runner.run(make_run(input("one long line\n"), 3, 9, output_path()));
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_TRUE(messages[0].has_started());
  EXPECT_EQ(messages[1].sealed().range().begin(), 3u);
  EXPECT_EQ(messages[1].sealed().range().end(), 9u);
  EXPECT_EQ(messages[1].sealed().output().length(), 0u);
  EXPECT_EQ(messages[1].sealed().output().records(), 0u);
  EXPECT_EQ(runner.block()->offset.load(), 9u);
}

TEST_F(RunLoopTest, ACompressedInputTellsWhereItEnded) {
  write_file(directory_.file("input.gz"), gzip("one\ntwo\n"));
  RunnerThread runner(make_setup({}));
  const auto messages =
      runner.run(make_run(describe(directory_.file("input.gz"), Codec::Gzip), 0, kUnknownEnd, output_path()));
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(messages[1].sealed().range().end(), kUnknownEnd);
  EXPECT_EQ(messages[1].sealed().input_end(), 8u);
  EXPECT_EQ(output(), "one\ntwo\n");
}

TEST_F(RunLoopTest, FixedLengthRecordsAreAskedOfTheApplication) {
  RunnerThread runner(make_setup({{"record-bytes", "5"}}));
  const auto messages = runner.run(make_run(input("aaaaabbbbbccccc"), 1, 6, output_path()));
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(messages[1].sealed().output().records(), 1u);
  EXPECT_EQ(output(), "bbbbb");
}

TEST_F(RunLoopTest, ACutOfAnEarlierRunIsNotObeyed) {
  RunnerThread runner(make_setup({}));
  const InputFile file = input("one\ntwo\nthree\n");
  const std::uint64_t stale = runner.block().cut(4, true);
  const auto messages = runner.run(make_run(file, 0, file.size, output_path(), stale));
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(messages[1].sealed().range().end(), file.size);
}

TEST_F(RunLoopTest, ACutBeforeTheFirstRecordGivesEverythingBack) {
  RunnerThread runner(make_setup({}));
  runner.block().cut(0, true);
  auto messages = runner.run(make_run(input("one\ntwo\nthree\n"), 0, 14, output_path()));
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[0].cut_sequence(), 1u);
  EXPECT_EQ(messages[0].cut().at(), 0u);
  EXPECT_TRUE(messages[0].cut().release());
  EXPECT_TRUE(messages[1].has_finished());

  std::filesystem::remove(output_path());
  runner.block().cut(5, false);  // a checkpoint, rounded up to the third line
  messages = runner.run(make_run(input("one\ntwo\nthree\n"), 0, 14, output_path(), 1));
  ASSERT_EQ(messages.size(), 5u);
  EXPECT_EQ(messages[0].cut().at(), 8u);
  EXPECT_TRUE(messages[1].has_started());
  EXPECT_EQ(messages[2].sealed().range().end(), 8u);
  EXPECT_EQ(messages[2].sealed().output().records(), 2u);
  EXPECT_EQ(messages[3].sealed().range().begin(), 8u);
  EXPECT_EQ(messages[3].sealed().output().file_offset(), 8u);
  EXPECT_EQ(output(), "one\ntwo\nthree\n");
}

TEST_F(RunLoopTest, WhatTheApplicationThrowsIsTheFailure) {
  EXPECT_EQ(failure(make_setup({{"mode", "throw"}})).failure(), wire::THREW);
  EXPECT_EQ(failure(make_setup({{"mode", "throw"}})).message(), "this record makes no sense");
  EXPECT_EQ(failure(make_setup({{"mode", "flush-throws"}})).message(), "it cannot flush");
  EXPECT_EQ(failure(make_setup({{"mode", "bad-record"}})).failure(), wire::BAD_RECORD);
  EXPECT_EQ(failure(make_setup({{"mode", "bad-record"}})).message(),
            "the record at byte 0 of " + directory_.file("input") + " makes no sense");
  EXPECT_THAT(failure(make_setup({{"mode", "throw-int"}})).message(), HasSubstr("no std::exception"));
  EXPECT_EQ(failure(make_setup({{"mode", "setup-throws"}})).failure(), wire::THREW);
  EXPECT_EQ(failure(make_setup({{"mode", "counters"}})).message(), "there are more than 128 counters");
}

TEST_F(RunLoopTest, AnApplicationThatCannotBeUsedIsReportedWithTheFirstAttempt) {
  for (const auto& setup : {make_setup({{"mode", ""}}), make_setup({{"colour", "red"}}), make_setup({}, "missing"),
                            make_setup({}, "outdated"), make_setup({{"mode", "setup-refuses"}})}) {
    const auto failed = failure(setup);
    EXPECT_EQ(failed.failure(), wire::BAD_APPLICATION);
    EXPECT_THAT(failed.message(), HasSubstr("application"));
  }
}

TEST_F(RunLoopTest, ARecordAboveTheLimitIsABadRecord) {
  const auto failed = failure(make_setup({}, "probe", 3));
  EXPECT_EQ(failed.failure(), wire::BAD_RECORD);
  EXPECT_THAT(failed.message(), HasSubstr("the record at byte 0 of " + directory_.file("input")));
}

TEST_F(RunLoopTest, InputsAndOutputsThatFailAreNamed) {
  const auto expect_failure = [&](const InputFile& file, const std::string& out, wire::Failure failure) {
    RunnerThread runner(make_setup({}));
    const auto messages = runner.run(make_run(file, 0, 8, out));
    ASSERT_TRUE(!messages.empty() && messages.back().has_failed());
    EXPECT_EQ(messages.back().failed().failure(), failure) << messages.back().failed().message();
    EXPECT_THAT(messages.back().failed().message(), HasSubstr(out == output_path() ? file.path : out));
    std::filesystem::remove(output_path());
  };
  const InputFile file = input("one\ntwo\n");
  expect_failure({"/nonexistent/input", 8, "0", Codec::Plain}, output_path(), wire::INPUT_VANISHED);
  expect_failure({directory_.file("input") + "/below", 8, "0", Codec::Plain}, output_path(), wire::INPUT_VANISHED);
  expect_failure({file.path, file.size, file.version + "1", Codec::Plain}, output_path(), wire::INPUT_CHANGED);
  expect_failure({file.path, 7, file.version, Codec::Plain}, output_path(), wire::INPUT_CHANGED);
  expect_failure(file, "/nonexistent/_attempts/claim/out", wire::OUTPUT);
  write_file(directory_.file("there"), "already");
  expect_failure(file, directory_.file("there"), wire::OUTPUT);
  write_file(directory_.file("broken.gz"), "not gzip");
  expect_failure(describe(directory_.file("broken.gz"), Codec::Gzip), output_path(), wire::BAD_RECORD);
}

TEST_F(RunLoopTest, RootsAreCheckedWhereFilesAreOpened) {
  const TemporaryDirectory elsewhere;
  wire::ToRunner setup = make_setup({});
  setup.mutable_setup()->add_input_roots(elsewhere.path());
  const auto unread = failure(setup);
  EXPECT_EQ(unread.failure(), wire::INPUT);
  EXPECT_THAT(unread.message(), HasSubstr("lies outside of the input roots (" + elsewhere.path() + ")"));
  setup.mutable_setup()->set_input_roots(0, directory_.path());
  setup.mutable_setup()->add_output_roots(elsewhere.path());
  const auto unwritten = failure(setup);
  EXPECT_EQ(unwritten.failure(), wire::OUTPUT);
  EXPECT_THAT(unwritten.message(), HasSubstr("lies outside of the output roots (" + elsewhere.path() + ")"));
  EXPECT_FALSE(std::filesystem::exists(output_path()));
}

TEST_F(RunLoopTest, AnApplicationIsNamedAndNotGivenByItsPath) {
  const auto refused = failure(make_setup({}, std::string(ONTIME_TEST_APPS) + "/libontime_app_probe.so"));
  EXPECT_EQ(refused.failure(), wire::BAD_APPLICATION);
  EXPECT_THAT(refused.message(), HasSubstr("is a path"));
}

TEST_F(RunLoopTest, AnAttemptBeforeTheSetupIsRefused) {
  wire::ToRunner neither;
  EXPECT_EQ(failure(neither).failure(), wire::BAD_APPLICATION);
}

TEST_F(RunLoopTest, StatusLinesTravelFewAtATime) {
  std::string content;
  for (int i = 0; i < 2000; ++i) content += "line\n";
  RunnerThread runner(make_setup({{"mode", "status"}}), 16);
  const auto messages = runner.run(make_run(input(content), 0, content.size(), output_path()));
  const auto statuses = std::count_if(messages.begin(), messages.end(), [](const auto& m) { return m.has_status(); });
  EXPECT_GE(statuses, 1);
  EXPECT_LT(statuses, 500);
  EXPECT_EQ(messages[1].status().text(), "at 0");
}

TEST(StatusLine, TheLatestTextTravelsAfterTheInterval) {
  StatusLine line;
  StatusLine::Clock::time_point now{};
  EXPECT_FALSE(line.take(now));
  line.set("a");
  EXPECT_EQ(line.take(now), "a");
  line.set("b");
  line.set("c");
  EXPECT_FALSE(line.take(now + StatusLine::kInterval / 2));
  EXPECT_EQ(line.take(now + StatusLine::kInterval), "c");
  EXPECT_FALSE(line.has_pending());
}

TEST(RunContext, CountersReportWhatWasAddedSinceTheLastSeal) {
  RunContext context(app::ParameterValues({}));
  std::uint64_t& words = context.counter("text", "words");
  words += 5;
  context.counter("text", "lines") += 0;
  auto deltas = context.take_counters();
  ASSERT_EQ(deltas.size(), 1u);
  EXPECT_EQ(deltas[0].value, 5u);
  EXPECT_EQ(&context.counter("text", "words"), &words);
  words += 2;
  deltas = context.take_counters();
  ASSERT_EQ(deltas.size(), 1u);
  EXPECT_EQ(deltas[0].value, 2u);
  EXPECT_TRUE(context.take_counters().empty());
  EXPECT_THROW(context.counter(std::string(65, 'x'), "y"), std::length_error);
}

}  // namespace
}  // namespace ontime::worker
