#include "common/http/remote_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <memory>
#include <mutex>

#include "tests/http/web_server.h"
#include "tests/support/silent_server.h"

namespace ontime::http {
namespace {

using namespace std::chrono_literals;

class RemoteFileTest : public testing::Test {
 protected:
  RemoteFileTest() : server_(test::some_bytes(100'000)) {}

  // Longer than a busy machine is; nothing is judged by time.
  static Patience patience() {
    Patience patience;
    patience.silence = 5s;
    patience.pause = 1ms;
    return patience;
  }
  // For what never comes.
  static Patience impatient() {
    Patience brief = patience();
    brief.silence = 200ms;
    return brief;
  }
  Url url() const { return *parse_url(server_.url()); }
  RemoteFile file() { return RemoteFile(url(), nullptr, patience()); }
  State state() { return file().look().value(); }

  std::string read(RemoteFile&& file, const State& state, std::uint64_t offset, std::size_t size) {
    std::string bytes(size, '\0');
    const auto read = file.read(state, offset, size, bytes.data());
    return read ? bytes : "failed: " + read.error().message;
  }

  test::WebServer server_;
};

TEST_F(RemoteFileTest, HasASizeAVersionAndRanges) {
  EXPECT_EQ(state(), (State{100'000, "\"1\""}));
  EXPECT_EQ(read(file(), state(), 0, 100'000), server_.content());
  EXPECT_EQ(read(file(), state(), 99'990, 10), server_.content().substr(99'990));
  EXPECT_EQ(read(file(), state(), 12'345, 6'789), server_.content().substr(12'345, 6'789));
}

TEST_F(RemoteFileTest, IsAskedForAgainAfterFailuresThatPass) {
  const State known = state();
  server_.set_fault([](int n, const httplib::Request&, httplib::Response& response) {
    constexpr int kAnswers[] = {503, 429, 500};
    if (n > 3) return false;
    response.status = kAnswers[n - 1];
    return true;
  });
  EXPECT_EQ(read(file(), known, 5, 1000), server_.content().substr(5, 1000));
  EXPECT_EQ(server_.requests(), 4);
}

TEST_F(RemoteFileTest, IsWaitedForAsLongAsItsServerMayBeAway) {
  const State known = state();
  Patience patience = this->patience();
  patience.tries = 2;
  const auto read_it = [&] {
    server_.set_fault([](int n, const httplib::Request&, httplib::Response& response) {
      if (n <= 5) response.status = 503;
      return n <= 5;
    });
    return read(RemoteFile(url(), nullptr, patience), known, 5, 1000);
  };
  EXPECT_EQ(read_it(), "failed: the server answers 503 Service Unavailable");
  EXPECT_EQ(server_.requests(), 2);
  patience.away = 1h;
  EXPECT_EQ(read_it(), server_.content().substr(5, 1000));
  EXPECT_EQ(server_.requests(), 6);
}

TEST_F(RemoteFileTest, OfAServerThatIsAwayNamesIt) {
  Patience patience = this->patience();
  patience.tries = 1;
  const std::string nowhere = "http://127.0.0.1:1";
  const auto looked = RemoteFile(*parse_url(nowhere + "/file"), nullptr, patience).look();
  ASSERT_FALSE(looked);
  EXPECT_EQ(looked.error().message, "the server at " + nowhere + " cannot be reached: nothing listens on that port");
}

TEST_F(RemoteFileTest, ThatIsNotThereOrNotAllowedIsAskedForOnce) {
  for (const int status : {403, 404, 410}) {
    server_.set_fault([status](int, const httplib::Request&, httplib::Response& response) {
      response.status = status;
      return true;
    });
    const auto looked = file().look();
    ASSERT_FALSE(looked);
    EXPECT_EQ(looked.error().trouble, Trouble::Refused);
    EXPECT_NE(looked.error().message.find(std::to_string(status)), std::string::npos) << looked.error().message;
    EXPECT_EQ(server_.requests(), 1);
  }
}

TEST_F(RemoteFileTest, GoesOnWhereTheConnectionBroke) {
  const State known = state();
  std::vector<std::string> ranges;
  server_.set_fault([&](int, const httplib::Request& request, httplib::Response& response) {
    ranges.push_back(request.get_header_value("Range"));
    // A third of it comes, and then the end.
    const auto begin = static_cast<std::size_t>(request.ranges.front().first);
    response.set_content_provider(server_.content().size(), "application/octet-stream",
                                  [&, begin](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
                                    if (length >= 100 && offset > begin) return false;
                                    return sink.write(server_.content().data() + offset,
                                                      length >= 100 ? length / 3 : length);
                                  });
    return true;
  });
  RemoteFile one(url(), nullptr, patience());
  std::string bytes(9000, '\0');
  const auto done = one.read(known, 1000, bytes.size(), bytes.data());
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(bytes, server_.content().substr(1000, 9000));
  ASSERT_GT(ranges.size(), 2u);
  EXPECT_EQ(ranges[0], "bytes=1000-9999");
  EXPECT_EQ(ranges[1], "bytes=4000-9999");
}

TEST_F(RemoteFileTest, IsAskedForAnewWhenNothingComes) {
  const State known = state();
  struct Stall {
    std::mutex mutex;
    std::condition_variable changed;
    bool is_over = false;
  };
  const auto stall = std::make_shared<Stall>();  // the server's thread may outlive this test's variables
  server_.set_fault([stall](int n, const httplib::Request&, httplib::Response&) {
    std::unique_lock lock(stall->mutex);
    if (n == 1) stall->changed.wait(lock, [&] { return stall->is_over; });
    return false;
  });
  EXPECT_EQ(read(RemoteFile(url(), nullptr, impatient()), known, 0, 5000), server_.content().substr(0, 5000));
  const std::lock_guard lock(stall->mutex);
  stall->is_over = true;
  stall->changed.notify_all();
}

TEST_F(RemoteFileTest, OfAnotherVersionIsNotMixedWithTheFirst) {
  const State known = state();
  server_.set_version("\"2\"");
  std::string bytes(10, '\0');
  const auto done = file().read(known, 0, bytes.size(), bytes.data());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().trouble, Trouble::Changed);
  server_.set_version("W/\"weak\"");  // cannot be asked for
  const State weak = state();
  EXPECT_EQ(read(file(), weak, 0, 10), server_.content().substr(0, 10));
  server_.set_version("W/\"weaker\"");
  const auto other = file().read(weak, 0, bytes.size(), bytes.data());
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().trouble, Trouble::Changed);
}

// Each request but the last sends a half more than the one before, and breaks.
TEST_F(RemoteFileTest, OfAServerThatIgnoresRangesIsReadFromItsBegin) {
  const std::string& content = server_.content();
  server_.set_fault([&](int n, const httplib::Request& request, httplib::Response& response) {
    const_cast<httplib::Request&>(request).ranges.clear();
    response.status = 200;
    const std::size_t most = content.size() * static_cast<std::size_t>(n) / 4;
    response.set_content_provider(content.size(), "application/octet-stream",
                                  [&content, most](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
                                    if (offset >= most) return false;
                                    return sink.write(content.data() + offset, std::min(length, most - offset));
                                  });
    return true;
  });
  const auto looked = file().look();
  ASSERT_TRUE(looked) << looked.error().message;
  EXPECT_FALSE(looked->has_parts);
  EXPECT_EQ(looked->size, content.size());
  std::string bytes;
  const auto take = [&](std::string_view more) {
    bytes += more;
    return true;
  };
  RemoteFile one(url(), nullptr, patience());
  const auto done = one.read_whole(*looked, take);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_TRUE(bytes == content);
  server_.set_fault(nullptr);
  server_.set_version("\"2\"");
  const auto other = one.read_whole(*looked, take);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().trouble, Trouble::Changed);
}

TEST_F(RemoteFileTest, OfNoServerSaysSoAfterAllTries) {
  RemoteFile nobody(*parse_url("http://127.0.0.1:1/x"), nullptr, patience());
  const auto looked = nobody.look();
  ASSERT_FALSE(looked);
  EXPECT_EQ(looked.error().trouble, Trouble::Unavailable);
}

TEST_F(RemoteFileTest, OfAHostThatNobodyKnowsSaysSo) {
  RemoteFile nobody(*parse_url("http://nobody.invalid/x"), nullptr, patience());
  const auto looked = nobody.look();
  ASSERT_FALSE(looked);
  EXPECT_THAT(looked.error().message, testing::HasSubstr("the host of http://nobody.invalid is not known"));
}

TEST_F(RemoteFileTest, ThatNobodyWantsAnyMoreIsNotWaitedFor) {
  const State known = state();
  std::atomic<bool> is_over = true;
  server_.set_fault([](int, const httplib::Request&, httplib::Response& response) {
    response.status = 503;
    return true;
  });
  RemoteFile unwanted(url(), &is_over, patience());
  std::string bytes(10, '\0');
  EXPECT_FALSE(unwanted.read(known, 0, bytes.size(), bytes.data()));
  EXPECT_EQ(server_.requests(), 1);
}

Patience patience_of_an_hour() {
  Patience patience;
  patience.silence = patience.silence_max = 1h;
  return patience;
}

TEST(SilentServer, IsLeftAsSoonAsNobodyWaitsAnyMore) {
  test::SilentServer server;
  const Url url = *parse_url("http://" + server.address() + "/x");
  const State state{100, "\"1\"", true};
  test::expect_given_up("look", server, 1, [&](const auto* is_over) {
    return RemoteFile(url, is_over, patience_of_an_hour()).look().has_value();
  });
  test::expect_given_up("read", server, 2, [&](const auto* is_over) {
    char bytes[100];
    return RemoteFile(url, is_over, patience_of_an_hour()).read(state, 0, sizeof bytes, bytes).has_value();
  });
  test::expect_given_up("read_whole", server, 3, [&](const auto* is_over) {
    const auto take = [](std::string_view) { return true; };
    return RemoteFile(url, is_over, patience_of_an_hour()).read_whole(state, take).has_value();
  });
}

// Whatever else is wrong with it.
TEST(SilentServer, IsNotWaitedForWhileItSendsAHeadWithoutAnEnd) {
  test::SilentServer server("HTTP/1.1 206 OK\r\nX: x\r\n");
  Patience patience;
  patience.silence = 200ms;
  patience.pause = 1ms;
  patience.tries = 2;
  RemoteFile file(*parse_url("http://" + server.address() + "/x"), nullptr, patience);
  const auto looked = file.look();
  ASSERT_FALSE(looked);
  EXPECT_EQ(looked.error().trouble, Trouble::Unavailable);
  char bytes[100];
  EXPECT_FALSE(file.read({100, "\"1\"", true}, 0, sizeof bytes, bytes));
  EXPECT_FALSE(file.read_whole({100, "\"1\"", true}, [](std::string_view) { return true; }));
}

TEST(UncountableLength, IsNoEmptyFile) {
  for (const char* length : {"99999999999999999999999999", "-1", "x", ""}) {
    test::SilentServer server("HTTP/1.1 200 OK\r\nContent-Length: " + std::string(length) + "\r\n\r\n");
    Patience patience = patience_of_an_hour();
    patience.tries = 1;
    const auto looked = RemoteFile(*parse_url("http://" + server.address() + "/x"), nullptr, patience).look();
    ASSERT_FALSE(looked) << length;
    EXPECT_THAT(looked.error().message, testing::AnyOf(testing::HasSubstr("no size that can be counted"),
                                                       testing::HasSubstr("no answer that is understood")));
  }
}

// Where they go on, the library would keep all of them.
TEST(EndlessLines, EndTheConnection) {
  constexpr std::size_t kLong = 1u << 20;
  std::string fields;
  while (fields.size() < kLong) fields += "A: b\r\n";
  for (const std::string& answer :
       {"HTTP/1.1 206 " + std::string(kLong, 'a'), "HTTP/1.1 206 OK\r\n" + fields,
        "HTTP/1.1 100 OK\r\n\r\nHTTP/1.1 206 OK\r\n" + fields,
        "HTTP/1.1 206 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + std::string(kLong, '1')}) {
    test::SilentServer server(answer);
    Patience patience = patience_of_an_hour();
    patience.tries = 1;
    RemoteFile file(*parse_url("http://" + server.address() + "/x"), nullptr, patience);
    EXPECT_FALSE(file.look()) << answer.substr(0, 40);
    EXPECT_FALSE(file.read_whole({100, "\"1\"", true}, [](std::string_view) { return true; }));
  }
}

}  // namespace
}  // namespace ontime::http
