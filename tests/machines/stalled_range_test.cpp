// A range whose server stalls costs two seconds at most, wherever it stalls: counted in virtual time, through the
// clients that ship.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "common/hdfs/file_system.h"
#include "common/http/remote_file.h"
#include "tests/machines/programs.h"
#include "tests/machines/small_cluster.h"
#include "worker/data/read_ahead.h"

namespace ontime::lab::machines::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint16_t kServerPort = 8080;

struct Piece {
  Duration pause{};  // before it
  std::string bytes;
};
// How a request is answered; the next one may come on its connection.
using Script = std::vector<Piece>;

// Each `size` bytes by themselves.
Script in_drops(const std::string& bytes, Duration pause, std::size_t size = 1) {
  Script script;
  for (std::size_t at = 0; at < bytes.size(); at += size) script.push_back({pause, bytes.substr(at, size)});
  return script;
}
Script operator+(Script one, const Script& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

class StalledRange : public testing::Test {
 protected:
  explicit StalledRange(std::size_t bytes = 1'000'000) : content_(std::string(bytes, 'x') + "end") {}

  using Answer = std::function<Script(int request, const std::string& head)>;  // from 1, without looks that are quick

  // A process of the server's machine.
  void serve(Answer answer) {
    small_.start(small_.one, [this, answer = std::move(answer)] {
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_port = htons(kServerPort);
      const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
      ::listen(listener, 128);
      for (int connection = 0; (connection = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;)
        std::thread([this, answer, connection] {
          while (play(answer, connection)) {
          }
        }).detach();
    });
    small_.pass(1ms);  // it listens
  }
  // False when the connection is over.
  bool play(const Answer& answer, int connection) {
    std::string head;
    char more[4096];
    while (head.find("\r\n\r\n") == head.npos) {
      const ssize_t size = ::recv(connection, more, sizeof more, 0);
      if (size <= 0) return false;
      head.append(more, static_cast<std::size_t>(size));
    }
    const bool is_look = head.find("bytes=0-16383\r\n") != head.npos;
    for (const Piece& piece : is_look&& looks_are_quick_ ? healthy(head) : answer(++requests_, head)) {
      if (piece.pause > Duration(0)) std::this_thread::sleep_for(piece.pause);
      for (std::size_t sent = 0; sent < piece.bytes.size();) {
        const ssize_t size = ::send(connection, piece.bytes.data() + sent, piece.bytes.size() - sent, MSG_NOSIGNAL);
        if (size <= 0) return false;
        sent += static_cast<std::size_t>(size);
      }
    }
    return true;
  }

  // What a healthy server answers.
  std::string head(std::size_t offset) const {
    return "HTTP/1.1 206 -\r\nETag: \"1\"\r\nContent-Range: bytes " + std::to_string(offset) + "-" +
           std::to_string(content_.size() - 1) + "/" + std::to_string(content_.size()) +
           "\r\nContent-Length: " + std::to_string(content_.size() - offset) + "\r\n\r\n";
  }
  Script healthy(const std::string& asked) const {
    const std::size_t offset = std::strtoull(asked.c_str() + asked.find("bytes=") + 6, nullptr, 10);
    return {{Duration(0), head(offset) + content_.substr(offset)}};
  }

  // How long the whole content takes if its first request is answered so.
  Duration takes(const Script& first) {
    requests_ = 0;
    first_ = first;
    std::string bytes(content_.size(), '\0');
    const TimePoint began = small_.cluster.world.now();
    small_.run(small_.other, [&] { read({content_.size(), "\"1\"", true}, bytes); });
    EXPECT_EQ(bytes, content_);
    return small_.cluster.world.now() - began;
  }
  http::Url url() const { return *http::parse_url(origin() + "/x"); }
  virtual void read(const http::State& state, std::string& bytes) {
    http::RemoteFile file(url());
    const auto read = file.read(state, 0, bytes.size(), bytes.data());
    EXPECT_TRUE(read) << read.error().message;
  }
  std::string origin() const { return "http://" + dotted(small_.one.address()) + ":" + std::to_string(kServerPort); }

  SmallCluster small_;
  const std::string content_;
  bool looks_are_quick_ = true;
  int requests_ = 0;
  Script first_;
};

TEST_F(StalledRange, CostsTwoSecondsAtMost) {
  serve([this](int request, const std::string& asked) { return request == 1 ? first_ : healthy(asked); });
  const std::string half = content_.substr(0, content_.size() / 2);
  EXPECT_LE(takes({{0s, head(0) + content_}}), 500ms) << "it is well";
  EXPECT_LE(takes({}), 2s) << "it says nothing";
  EXPECT_LE(takes({{1400ms, head(0)}, {0s, ""}}), 2s) << "it thinks, and then stops behind the head";
  EXPECT_LE(takes(in_drops(head(0), 100ms)), 2s) << "the head comes byte by byte";
  EXPECT_LE(takes({{1400ms, head(0)}, {1400ms, "x"}, {1400ms, "x"}}), 2s) << "bytes come at the last moment";
  EXPECT_LE(takes(Script{{1ms, head(0)}} + in_drops(content_, 100ms)), 2s) << "it crawls";
  EXPECT_LE(takes({{0s, head(0)}, {0s, half}}), 2s) << "it stops in the middle";
  EXPECT_LE(takes(Script{{0s, head(0) + half}} + in_drops(content_.substr(half.size()), 100ms)), 2s)
      << "it crawls in the middle";
}

// One that takes longer than the first try waits, and one that is slow but not too slow.
TEST_F(StalledRange, IsNoRangeThatTakesItsTime) {
  serve([this](int request, const std::string& asked) {
    return request == 1 ? first_ : Script{{2500ms, ""}} + healthy(asked);
  });
  EXPECT_GT(takes({}), 4s);
  EXPECT_EQ(requests_, 2);
  EXPECT_GT(takes(Script{{1ms, head(0)}} + in_drops(content_, 100ms, 8'000)), 12s);
  EXPECT_EQ(requests_, 1);
}

// Three times as long as it is waited for at first: it is given that from then on.
TEST_F(StalledRange, IsNotTakenForOneWhereTheServerHasNeededTimeBefore) {
  looks_are_quick_ = false;
  serve([this](int, const std::string& asked) { return Script{{600ms, ""}} + healthy(asked); });
  small_.run(small_.other, [&] {
    http::Patience brief;
    brief.silence = 200ms;
    http::RemoteFile slow(url(), nullptr, brief);
    const auto looked = slow.look();
    ASSERT_TRUE(looked) << looked.error().message;
    const int tries = requests_;
    EXPECT_GT(tries, 1);
    std::string bytes(10, '\0');
    const auto read = slow.read(*looked, 50'000, bytes.size(), bytes.data());
    EXPECT_TRUE(read) << read.error().message;
    EXPECT_EQ(requests_, tries + 1);
  });
}

// Many ranges by one request, ahead of who reads.
class LongRequest : public StalledRange {
 protected:
  LongRequest() : StalledRange(8'000'000) {}

  void read(const http::State& state, std::string& bytes) override {
    const auto open = [this](const std::atomic<bool>* is_over) {
      return std::make_unique<http::RemoteFile>(url(), is_over);
    };
    worker::ReadAhead ahead(open, state, state.size, 128u << 20);
    ahead.start_at(0);
    for (std::size_t got = 0; got < bytes.size();) {
      const auto read = ahead.read(bytes.data() + got, bytes.size() - got);
      ASSERT_TRUE(read) << read.error().message;
      got += *read;
    }
  }
};

TEST_F(LongRequest, IsAskedOnceThoughItsRangesWaitForEachOther) {
  serve([this](int request, const std::string& asked) { return request == 1 ? first_ : healthy(asked); });
  EXPECT_GT(takes(Script{{1ms, head(0)}} + in_drops(content_, 100ms, 64 << 10)), 12s);
  EXPECT_EQ(requests_, 1);
}

// Bursts of a megabyte, with pauses between them.
TEST_F(LongRequest, IsAskedOnceThoughItComesInBursts) {
  serve([this](int request, const std::string& asked) { return request == 1 ? first_ : healthy(asked); });
  EXPECT_GT(takes(Script{{1ms, head(0)}} + in_drops(content_, 900ms, 1 << 20)), 7s);
  EXPECT_EQ(requests_, 1);
}

TEST_F(LongRequest, ThatStallsCostsTwoSecondsAtMost) {
  serve([this](int request, const std::string& asked) { return request == 1 ? first_ : healthy(asked); });
  EXPECT_LE(takes({}), 2s) << "it says nothing";
  const std::string half = content_.substr(0, content_.size() / 2);
  EXPECT_LE(takes({{0s, head(0) + half}}), 2s) << "it stops in the middle";
  EXPECT_LE(takes(Script{{0s, head(0) + half}} + in_drops(content_.substr(half.size()), 100ms, 1024)), 2s)
      << "it crawls in the middle";
}

// Of both servers together.
TEST_F(StalledRange, OfHdfsCostsTwoSecondsAtMost) {
  const std::string location = R"({"Location":")" + origin() + R"(/webhdfs/v1/x?op=OPEN&offset=0&to=a_data_node"})";
  const auto answer = [](const std::string& body) {
    return "HTTP/1.1 200 -\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  };
  serve([&](int request, const std::string& asked) -> Script {
    if (asked.find("a_data_node") == asked.npos) return {{request == 1 ? 1400ms : 0ms, answer(location)}};
    if (request > 2) return {{Duration(0), answer(content_)}};
    return {{1400ms, ""}};
  });
  std::string bytes(content_.size(), '\0');
  const TimePoint began = small_.cluster.world.now();
  small_.run(small_.other, [&] {
    hdfs::RemoteFile file(*http::parse_url(origin() + "/webhdfs/v1/x?user.name=me"));
    const auto read = file.read({content_.size(), "1", true}, 0, bytes.size(), bytes.data());
    EXPECT_TRUE(read) << read.error().message;
  });
  EXPECT_EQ(bytes, content_);
  // Then the NameNode is asked until it names another DataNode, which it has none of.
  EXPECT_EQ(requests_, 2 + 8 + 1);
  EXPECT_LE(small_.cluster.world.now() - began, 2s);
}

}  // namespace
}  // namespace ontime::lab::machines::test
