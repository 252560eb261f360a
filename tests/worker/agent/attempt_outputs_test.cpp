// With a store that takes what it is asked and says nothing, and one that works. What every output promises:
// tests/machines/output_test.cpp.
#include "worker/agent/attempts/attempt_outputs.h"

#include <gtest/gtest.h>

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <optional>
#include <vector>

#include "tests/hdfs/fake_hdfs.h"
#include "tests/support/silent_server.h"
#include "tests/support/temporary_directory.h"

namespace ontime::worker {
namespace {

class AttemptOutputsTest : public testing::Test {
 protected:
  std::unique_ptr<AttemptOutput> attempt(const std::string& root, std::uint32_t task) {
    auto made = outputs_->create(root + "/out/_attempts/one", {{JobId{1}, task}, 0});
    EXPECT_TRUE(made) << made.error().message;
    test::write_file((*made)->path(), "hello");
    return std::move(*made);
  }
  static std::string root_of(const test::SilentServer& server) { return "webhdfs://" + server.address(); }

  test::SilentServer silent_;
  test::FakeHdfs hdfs_;
  asio::io_context io_;
  std::optional<AttemptOutputs> outputs_{std::in_place, io_.get_executor(), files::Roots(), Duration(0)};
};

TEST_F(AttemptOutputsTest, StopWhileAStoreIsSilent) {
  const auto waiting = attempt(root_of(silent_), 0);
  bool is_done = false;
  waiting->sync({0, 5}, [&](const Status&) { return is_done = true; });
  silent_.await_requests(1);
  outputs_->stop();
  EXPECT_FALSE(is_done);
}

TEST_F(AttemptOutputsTest, OfAttemptsThatAreOverHoldUpNoOthers) {
  std::vector<std::unique_ptr<AttemptOutput>> over;
  for (std::uint32_t task = 0; task < AttemptOutputs::kThreads; ++task) {
    over.push_back(attempt(root_of(silent_), task));
    over.back()->sync({0, 5}, [](const Status& status) {
      EXPECT_FALSE(status);
      return false;
    });
  }
  silent_.await_requests(static_cast<int>(over.size()));
  over.clear();
  const auto next = attempt(hdfs_.root(), 9);
  const auto work = asio::make_work_guard(io_);
  Status synced = failed("not yet");
  next->sync({0, 5}, [&](const Status& status) {
    synced = status;
    io_.stop();
    return true;
  });
  io_.run();
  EXPECT_TRUE(synced) << synced.error().message;
  EXPECT_NE(hdfs_.files().find("=hello "), std::string::npos) << hdfs_.files();
}

}  // namespace
}  // namespace ontime::worker
