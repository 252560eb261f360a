// Output files that are made for runners by processes of their own, which may hang or die.
#include "common/base/descriptor.h"
#include "worker/runner/children.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <filesystem>
#include <string>

#include "tests/worker/data/input_files.h"

namespace ontime::worker {
namespace {

using testing::HasSubstr;

class OutputOpenersTest : public testing::Test {
 protected:
  // The launcher's end, and the runner's.
  struct Sockets {
    Descriptor ours;
    Descriptor theirs;
  };
  static Sockets make_sockets() {
    std::array<int, 2> pair{-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.data()), 0);
    return {Descriptor(pair[0]), Descriptor(pair[1])};
  }
  std::string in(const std::string& directory) const {
    std::filesystem::create_directories(directory_.file(directory));
    return directory_.file(directory) + "/out-" + std::to_string(last_runner_);
  }
  // One that stays, as its end is not seen.
  void leave_one(const std::string& directory) {
    const std::string path = in(directory);
    openers_.open(++last_runner_, left_.ours.get(), path);
    openers_.leave(last_runner_);
  }
  Outcome<OutputFile> open(const std::string& path) {
    const Sockets sockets = make_sockets();
    openers_.open(++last_runner_, sockets.ours.get(), path);
    return take_over(sockets.theirs.get(), path);
  }
  void TearDown() override {
    openers_.kill_all();
    while (::waitpid(-1, nullptr, 0) > 0) continue;
  }

  const test::TemporaryDirectory directory_;
  OutputOpeners openers_{files::Roots()};
  const Sockets left_ = make_sockets();  // of all whose runner has ended
  std::uint64_t last_runner_ = 0;
};

TEST_F(OutputOpenersTest, ARunnerWhoseFileIsNotHandedOverIsToldSo) {
  const Sockets sockets = make_sockets();
  std::size_t stuffed = 0;
  while (::send(sockets.ours.get(), "x", 1, MSG_DONTWAIT) == 1) ++stuffed;  // until there is no room
  const std::string path = in("somewhere");
  openers_.open(1, sockets.ours.get(), path);
  int status = 0;
  const pid_t opener = ::waitpid(-1, &status, 0);
  ASSERT_GT(opener, 0);
  EXPECT_EQ(WEXITSTATUS(status), 1);
  char taken = 0;
  for (; stuffed > 0; --stuffed) ASSERT_EQ(::recv(sockets.theirs.get(), &taken, 1, MSG_DONTWAIT), 1);
  EXPECT_TRUE(openers_.on_exited(opener, status));
  EXPECT_TRUE(openers_.empty());
  const Outcome<OutputFile> output = take_over(sockets.theirs.get(), path);
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().kind, FaultKind::Node);
  EXPECT_THAT(output.error().message, HasSubstr(path + ": the process that was to do that has ended before"));
}

TEST_F(OutputOpenersTest, ADirectoryThatHangsIsTheOutputsFaultAndNotTheNodes) {
  for (std::size_t i = 0; i < OutputOpeners::kLeftInDirectoryMax; ++i) leave_one("hung");
  const Outcome<OutputFile> refused = open(in("hung"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, FaultKind::Output);
  EXPECT_TRUE(open(in("fine")));
}

TEST_F(OutputOpenersTest, WhereTooMuchHangsInAllItIsTheNodesFault) {
  for (std::size_t i = 0; i < OutputOpeners::kLeftMax; ++i) {
    leave_one("hung-" + std::to_string(i / (OutputOpeners::kLeftInDirectoryMax - 1)));
  }
  const Outcome<OutputFile> refused = open(in("fine"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, FaultKind::Node);
}

}  // namespace
}  // namespace ontime::worker
