#include "common/log/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "common/log/fields.h"

namespace ontime::log {
namespace {

// A file of its own that goes with the test; afterwards nothing is logged any more.
class LogTest : public testing::Test {
 protected:
  LogTest() {
    const int descriptor = ::mkstemp(path_.data());
    EXPECT_GE(descriptor, 0);
    ::close(descriptor);
  }
  ~LogTest() override {
    EXPECT_TRUE(set_up({.level = "off", .format = "text", .file = "", .program = "test"}));
    ::unlink(path_.c_str());
  }

  Options options(std::string format, std::string level = "info") const {
    return {.level = std::move(level), .format = std::move(format), .file = path_, .program = "ontime-test"};
  }

  std::vector<std::string> lines() const {
    spdlog::default_logger()->flush();
    std::ifstream file(path_);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

  std::string path_ = "/tmp/ontime-log-XXXXXX";
};

TEST_F(LogTest, ATextLineIsTimeLevelProgramMessage) {
  ASSERT_TRUE(set_up(options("text")));
  spdlog::info("node_lost node=node-2");
  ASSERT_EQ(lines().size(), 1u);
  EXPECT_THAT(lines()[0], testing::MatchesRegex(
                              "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}Z info ontime-test "
                              "node_lost node=node-2"));
}

TEST_F(LogTest, AFileThatIsMadeIsNobodyElsesToRead) {
  ASSERT_EQ(::unlink(path_.c_str()), 0);
  ASSERT_TRUE(set_up(options("text")));
  spdlog::info("node_lost node=node-2");
  ASSERT_EQ(lines().size(), 1u);
  struct stat status {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

// A pipe that is open for reading, of which nobody reads until the test does.
class Pipe {
 public:
  Pipe() {
    EXPECT_EQ(::mkdtemp(directory_.data()), directory_.data());
    EXPECT_EQ(::mkfifo(path().c_str(), 0600), 0);
    reader_ = ::open(path().c_str(), O_RDONLY | O_NONBLOCK);
    EXPECT_GE(reader_, 0);
  }
  ~Pipe() {
    ::close(reader_);
    ::unlink(path().c_str());
    ::rmdir(directory_.c_str());
  }
  std::string path() const { return directory_ + "/pipe"; }
  // What is in it; waits for something.
  std::string read() const {
    pollfd readable{reader_, POLLIN, 0};
    ::poll(&readable, 1, 60'000);
    std::string bytes(1u << 20, 0);
    const ssize_t count = ::read(reader_, bytes.data(), bytes.size());
    bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return bytes;
  }

 private:
  std::string directory_ = "/tmp/ontime-pipe-XXXXXX";
  int reader_ = -1;
};

TEST_F(LogTest, APipeThatNobodyReadsStopsNobodyAndWhatIsDroppedIsCounted) {
  const Pipe pipe;
  const std::uint64_t before = lines_dropped();
  Options to_pipe = options("text");
  to_pipe.file = pipe.path();
  ASSERT_TRUE(set_up(to_pipe));
  spdlog::info("event number=0 text=first");
  std::string seen = pipe.read();  // the thread that writes has begun: on a busy machine this one would be dropped
  const std::string long_text(1000, 'x');
  for (int i = 1; i < 20'000; ++i) spdlog::info("event number={} text={}", i, long_text);
  EXPECT_GT(lines_dropped(), before);
  spdlog::default_logger()->flush();  // ends, though nothing is written
  while (seen.find("number=19999 ") == seen.npos) seen += pipe.read();
  EXPECT_NE(seen.find("number=0 "), seen.npos);
  EXPECT_NE(seen.find(" warning ontime-test log_lines_dropped lines="), seen.npos);
}

TEST_F(LogTest, TheEndOfAProgramDoesNotWaitForAPipeThatNobodyReads) {
  const Pipe pipe;
  Options to_pipe = options("text");
  to_pipe.file = pipe.path();
  ASSERT_TRUE(set_up(to_pipe));
  for (int i = 0; i < 2000; ++i) spdlog::info("event text={}", std::string(1000, 'x'));
  ASSERT_TRUE(set_up(options("text")));  // the logger before it goes
}

TEST_F(LogTest, ATextEventStaysOneLine) {
  ASSERT_TRUE(set_up(options("text")));
  spdlog::warn("first\nsecond\x1b[31m");
  ASSERT_EQ(lines().size(), 1u);
  EXPECT_NE(lines()[0].find(R"(warning ontime-test first\nsecond\x1b[31m)"), std::string::npos) << lines()[0];
}

TEST_F(LogTest, EveryJsonLineIsAnObjectWhateverBytesItHolds) {
  ASSERT_TRUE(set_up(options("json")));
  std::string all_bytes;
  for (int byte = 0; byte < 256; ++byte) all_bytes += static_cast<char>(byte);
  spdlog::error("plain \"quoted\" back\\slash\nline");
  spdlog::info(all_bytes);
  ASSERT_EQ(lines().size(), 2u);
  const auto event = nlohmann::json::parse(lines()[0]);
  EXPECT_EQ(event["level"], "error");
  EXPECT_EQ(event["program"], "ontime-test");
  EXPECT_EQ(event["event"], "plain");
  EXPECT_EQ(event["text"], "\"quoted\" back\\slash\nline");
  EXPECT_EQ(event["time"].get<std::string>().size(), 24u);
  EXPECT_TRUE(nlohmann::json::parse(lines()[1]).is_object());
}

TEST_F(LogTest, AnEventsFieldsAreFieldsInJson) {
  ASSERT_TRUE(set_up(options("json")));
  const std::string hostile = "no \"job=job-9\" here\\ \n end=1";
  spdlog::info("attempt_ended {} {} end={} offset={} message={}", AttemptId{{{7}, 3}, 1}, NodeId{2}, "failed", 1024,
               Quoted{hostile});
  spdlog::info("injection_active node=a:2x node=b:3x and so on");
  ASSERT_EQ(lines().size(), 2u);
  const auto ended = nlohmann::json::parse(lines()[0]);
  EXPECT_EQ(ended["event"], "attempt_ended");
  EXPECT_EQ(ended["job"], "job-7");
  EXPECT_EQ(ended["task"], "job-7/t00003");
  EXPECT_EQ(ended["attempt"], "job-7/t00003/a1");
  EXPECT_EQ(ended["node"], "node-2");
  EXPECT_EQ(ended["offset"], 1024);
  EXPECT_EQ(ended["message"], hostile);
  EXPECT_FALSE(ended.contains("text"));
  const auto active = nlohmann::json::parse(lines()[1]);
  EXPECT_EQ(active["node"], "a:2x,b:3x");
  EXPECT_EQ(active["text"], "and so on");
}

TEST_F(LogTest, TheLevelDecidesWhatIsWritten) {
  ASSERT_TRUE(set_up(options("text", "warning")));
  spdlog::info("quiet");
  spdlog::error("loud");
  EXPECT_EQ(lines().size(), 1u);
  ASSERT_TRUE(set_up(options("text", "off")));
  spdlog::critical("nothing");
  EXPECT_EQ(lines().size(), 1u);
}

TEST_F(LogTest, AFileIsContinuedNotReplaced) {
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(set_up(options("text")));
    spdlog::info("started");
  }
  EXPECT_EQ(lines().size(), 2u);
}

TEST_F(LogTest, WrongOptionsAreRefusedByName) {
  const auto level = set_up(options("text", "loud"));
  ASSERT_FALSE(level);
  EXPECT_EQ(level.error().kind, ErrorKind::BadInput);
  EXPECT_NE(level.error().message.find("'loud'"), std::string::npos);
  const auto format = set_up(options("xml"));
  ASSERT_FALSE(format);
  EXPECT_EQ(format.error().kind, ErrorKind::BadInput);
  auto nowhere = options("text");
  nowhere.file = "/nonexistent/log";
  const auto file = set_up(nowhere);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind, ErrorKind::BadInput);
  EXPECT_NE(file.error().message.find("--log-file: '/nonexistent/log' cannot be written"), std::string::npos);
}

}  // namespace
}  // namespace ontime::log
