#include "master/submissions/submission.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "common/base/limits.h"
#include "tests/support/prepared_job.h"
#include "tests/support/temporary_directory.h"

namespace ontime::master {
namespace {

class SubmissionTest : public testing::Test {
 protected:
  SubmissionTest() {
    test::write_file(input_, std::string(10'000, 'x'));
    request_.set_application("wordcount");
    request_.add_inputs(input_);
    request_.set_output(directory_ / "out");
  }

  scheduler::JobSpec prepared() {
    auto spec = test::prepare_job(request_);
    EXPECT_TRUE(spec) << spec.error().message;
    return spec ? std::move(*spec) : scheduler::JobSpec();
  }
  std::string refusal() {
    const auto spec = test::prepare_job(request_);
    EXPECT_FALSE(spec);
    if (spec) return "";
    EXPECT_EQ(spec.error().kind, ErrorKind::BadInput);
    return spec.error().message;
  }
  bool is_refused_with(const std::string& piece) {
    const std::string message = refusal();
    return message.find(piece) != message.npos || (ADD_FAILURE() << message, false);
  }

  test::TemporaryDirectory directory_;
  const std::string input_ = directory_ / "input";
  wire::JobSpec request_;
};

TEST_F(SubmissionTest, BringsAThousandFilesAtMost) {
  for (int i = 0; i < kShippedFilesMax; ++i) request_.add_files()->set_name("f" + std::to_string(i));
  prepared();
  request_.add_files()->set_name("one-more");
  EXPECT_EQ(
      refusal(),
      "The job brings 1001 files, and may bring 1000; pack them into an archive, or put them where the workers can "
      "read them.");
}

TEST_F(SubmissionTest, FillsInTheDefaults) {
  const scheduler::JobSpec spec = prepared();
  EXPECT_EQ(spec.application, "wordcount");
  EXPECT_EQ(spec.split_bytes, 128u << 20);
  EXPECT_EQ(spec.attempts_max, 4u);
  EXPECT_EQ(spec.record_bytes_max, 64u << 20);
  EXPECT_EQ(spec.policy, "auto");
  EXPECT_EQ(spec.checkpoint_interval, std::chrono::seconds(5));
  EXPECT_EQ(spec.estimator, "chronos");
  EXPECT_FALSE(spec.kill_on_miss);
  EXPECT_EQ(spec.output, directory_ / "out");
}

TEST_F(SubmissionTest, TakesEverythingThatIsGiven) {
  request_.set_split_bytes(1000);
  request_.mutable_settings()->set_deadline(5);
  request_.mutable_settings()->set_checkpoint_interval(6);
  request_.mutable_settings()->set_attempt_timeout(100'000'007);
  request_.mutable_settings()->set_attempts_max(8);
  request_.mutable_settings()->set_record_bytes_max(9);
  request_.mutable_settings()->set_compress("zstd:5");
  request_.mutable_settings()->set_parts_suffix(".jsonl");
  wire::Entry* entry = request_.add_parameters();
  entry->set_key("k");
  entry->set_value("v");
  const scheduler::JobSpec spec = prepared();
  EXPECT_EQ(spec.split_bytes, 1000u);
  EXPECT_EQ(spec.deadline, Duration(5));
  EXPECT_EQ(spec.checkpoint_interval, Duration(6));
  EXPECT_EQ(spec.attempt_timeout, Duration(100'000'007));
  EXPECT_EQ(spec.attempts_max, 8u);
  EXPECT_EQ(spec.record_bytes_max, 9u);
  EXPECT_EQ(spec.compress, "zstd:5");
  EXPECT_EQ(spec.parts_suffix, ".jsonl");
  EXPECT_EQ(spec.parameters.at("k"), "v");
}

TEST_F(SubmissionTest, DividesIntoAboutAsManySplitsAsAreAskedFor) {
  request_.set_splits(7);
  EXPECT_EQ(scheduler::count_splits(prepared()), 7u);
}

// Where records are told from the begin, only what shows where they begin inside is divided.
TEST_F(SubmissionTest, DividesWarcAtItsHeads) {
  const std::string content(1 << 20, 'x');
  const std::string record =
      "WARC/1.0\r\nContent-Length: " + std::to_string(content.size()) + "\r\n\r\n" + content + "\r\n\r\n";
  std::string file;
  for (int i = 0; i < 4; ++i) file += record;
  test::write_file(input_, file);
  request_.set_splits(4);
  request_.mutable_settings()->set_records("warc");
  EXPECT_EQ(scheduler::count_splits(prepared()), 4u);
  EXPECT_EQ(prepared().inputs.at(0).points.size(), 3u);
  EXPECT_EQ(prepared().inputs.at(0).points.at(1).content, 2 * record.size());
  test::write_file(input_, file + "WARC/1.0 and no length\r\n\r\n");
  EXPECT_EQ(scheduler::count_splits(prepared()), 1u);
  test::write_file(input_, file);
  request_.mutable_settings()->set_records("json:array");
  EXPECT_EQ(scheduler::count_splits(prepared()), 1u);
  request_.mutable_settings()->set_records("json");
  EXPECT_EQ(scheduler::count_splits(prepared()), 4u);
}

TEST_F(SubmissionTest, BringsTheOutputIntoNormalForm) {
  request_.set_output(directory_ / "a/../out/");
  EXPECT_EQ(prepared().output, directory_ / "out");
}

TEST_F(SubmissionTest, RefusesTooManyTasksAndSaysWhichSplitSizeWouldDo) {
  std::filesystem::resize_file(input_, 30'000'000'000);
  request_.set_split_bytes(1000);
  EXPECT_EQ(refusal(),
            "A split size of 1000 B divides the input into 30000000 tasks, and a job can have at most 10000000; "
            "with --split-size 3000 it has at most 10000000.");
}

TEST_F(SubmissionTest, RefusesImpossibleFields) {
  const wire::JobSpec good = request_;
  const auto refused = [&](const char* piece, const std::function<void()>& spoil) {
    request_ = good;
    spoil();
    EXPECT_TRUE(is_refused_with(piece));
  };
  refused("cannot be the name of an application", [&] { request_.set_application("../evil"); });
  refused("cannot be the name of an application", [&] { request_.clear_application(); });
  refused("is not an absolute path", [&] { request_.set_output("out"); });
  refused("is not an absolute path", [&] { request_.clear_output(); });
  refused("is no place that jobs can write to", [&] { request_.set_output("file:///tmp/out"); });
  refused("attempt timeout must be at least 100 ms",
          [&] { request_.mutable_settings()->set_attempt_timeout(99'999'999); });
  refused("has 5000 bytes, and a path may have 4096", [&] { request_.set_output("/" + std::string(4999, 'x')); });
  refused("priority must lie between",
          [&] { request_.mutable_settings()->set_priority(std::numeric_limits<std::int32_t>::min()); });
  refused("has 300 bytes, and may have 256", [&] { request_.mutable_settings()->set_name(std::string(300, 'x')); });
  refused("cannot be '/'", [&] { request_.set_output("/tmp/.."); });
  refused("deadline must lie between", [&] { request_.mutable_settings()->set_deadline(-1); });
  refused("checkpoint interval must lie", [&] { request_.mutable_settings()->set_checkpoint_interval(-1); });
  refused("attempt timeout must lie",
          [&] { request_.mutable_settings()->set_attempt_timeout(std::numeric_limits<std::int64_t>::max() - 1); });
  refused("At most 100 attempts", [&] { request_.mutable_settings()->set_attempts_max(101); });
  refused("at most 1 GiB", [&] { request_.mutable_settings()->set_record_bytes_max(std::uint64_t{1} << 40); });
  refused("'lz4' is no compression of part files; choose zstd, gzip or none.",
          [&] { request_.mutable_settings()->set_compress("lz4"); });
  refused("'/../x' cannot be the suffix of part files",
          [&] { request_.mutable_settings()->set_parts_suffix("/../x"); });
  refused("there is no policy 'x'", [&] { request_.mutable_settings()->set_policy("x"); });
  refused("names no file", [&] { request_.clear_inputs(); });
  refused("has no name, a name longer than 256 bytes, or a value longer than 64.0 KiB",
          [&] { request_.add_parameters(); });
  refused("is given twice", [&] {
    request_.add_parameters()->set_key("k");
    request_.add_parameters()->set_key("k");
  });
  refused("and may take 1 MiB; put what is large into a file", [&] {
    for (int i = 0; i < 20; ++i) {
      wire::Entry* entry = request_.add_parameters();
      entry->set_key(std::to_string(i));
      entry->set_value(std::string(64u << 10, 'x'));
    }
  });
  refused("at most 1000 parameters", [&] {
    for (int i = 0; i < 2000; ++i) request_.mutable_settings()->add_policy_parameters()->set_key(std::to_string(i));
  });
}

}  // namespace
}  // namespace ontime::master
