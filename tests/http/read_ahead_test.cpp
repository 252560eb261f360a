// Ranges that are fetched ahead of who reads, from a server.
#include "worker/data/read_ahead.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "tests/http/web_server.h"

namespace ontime::worker {
namespace {

constexpr std::uint64_t kLongRequest = 128u << 20;

// While there is one, no thread can be started: nothing has room for its stack.
class NoThreads {
 public:
  NoThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t none = before_;
    pthread_attr_setstacksize(&none, std::size_t{1} << 60);
    pthread_setattr_default_np(&none);
  }
  ~NoThreads() { pthread_setattr_default_np(&before_); }

 private:
  pthread_attr_t before_{};
};

// A file whose ranges are fetched several at a time, as over TLS.
class FarFile final : public http::RangedFile {
 public:
  FarFile(const http::Url& url, const std::atomic<bool>* is_over) : file_(url, is_over) {}
  http::Answer<http::State> look() override { return file_.look(); }
  using http::RangedFile::read;
  http::Answer<void> read(const http::State& state, std::uint64_t offset, std::uint64_t size, http::Sink& to) override {
    return file_.read(state, offset, size, to);
  }

 private:
  http::RemoteFile file_;
};

class ReadAheadTest : public testing::Test {
 protected:
  ReadAheadTest() : server_(test::some_bytes(20'000'000)), state_{server_.content().size(), "\"1\"", true} {}

  http::Url url() const { return *http::parse_url(server_.url("file.txt")); }
  ReadAhead::Open far_file() const {
    return [url = url()](const auto* is_over) { return std::make_unique<FarFile>(url, is_over); };
  }
  ReadAhead::Open near_file() const {
    return [url = url()](const auto* is_over) { return std::make_unique<http::RemoteFile>(url, is_over); };
  }
  std::string read_all(ReadAhead& ahead) const {
    std::string all(server_.content().size(), ' ');
    ahead.start_at(0);
    for (std::size_t got = 0; got < all.size();) {
      const auto read = ahead.read(all.data() + got, std::min<std::size_t>(all.size() - got, 100'000));
      EXPECT_TRUE(read) << read.error().message;
      if (!read) return all.substr(0, got);
      got += *read;
    }
    return all;
  }

  test::WebServer server_;
  const http::State state_;
};

TEST_F(ReadAheadTest, OneLongRequestBringsManyRangesOfANearServer) {
  ReadAhead near(near_file(), state_, state_.size, kLongRequest);
  EXPECT_TRUE(read_all(near) == server_.content());
  EXPECT_LE(server_.requests(), 2);  // of ten ranges; how many exactly is tested in virtual time
}

TEST_F(ReadAheadTest, ALongRequestThatStopsIsGoneOnWithByAnother) {
  constexpr std::size_t kStopsAt = 5'000'000;
  const auto over = std::make_shared<std::promise<void>>();
  const std::shared_future<void> is_over = over->get_future();
  server_.set_fault([this, is_over](int n, const httplib::Request&, httplib::Response& response) {
    if (n > 1) return false;
    response.set_content_provider(server_.content().size(), "text/plain",
                                  [this, is_over](std::size_t at, std::size_t size, httplib::DataSink& to) {
                                    if (at >= kStopsAt) is_over.wait();
                                    return at < kStopsAt &&
                                           to.write(server_.content().data() + at, std::min(size, kStopsAt - at));
                                  });
    return true;
  });
  ReadAhead near(near_file(), state_, state_.size, kLongRequest);
  EXPECT_TRUE(read_all(near) == server_.content());
  EXPECT_GE(server_.requests(), 2);
  over->set_value();
}

// Of the later ranges one crawls until it is asked for again, as a whole and on another connection. The next one stops
// after its first byte: it is not asked for again, but its connection counts as silent in the end, and another one goes
// on behind that byte.
TEST_F(ReadAheadTest, AsksOnceMoreForOneSlowRangeOfTwenty) {
  struct Server {
    std::mutex mutex;
    std::condition_variable changed;
    std::map<std::uint64_t, int> requests;  // by the begin of the range
    std::vector<std::uint64_t> slow;
    bool is_over = false;

    // Until it is time for the next bytes; false: none are wanted.
    bool wait(std::uint64_t begin, bool crawls) {
      std::unique_lock lock(mutex);
      const auto is_given_up = [&] { return is_over || (crawls && requests[begin] > 1); };
      if (crawls) return !changed.wait_for(lock, std::chrono::milliseconds(30), is_given_up);
      changed.wait(lock, is_given_up);
      return false;
    }
  };
  const auto state = std::make_shared<Server>();  // its threads may outlive this test's variables
  server_.set_fault([this, state](int n, const httplib::Request& request, httplib::Response& response) {
    const auto begin = static_cast<std::uint64_t>(request.ranges.front().first);
    const std::lock_guard lock(state->mutex);
    if (++state->requests[begin] > 1 || n < 5 || state->slow.size() == 2) return false;
    const bool crawls = state->slow.empty();
    state->slow.push_back(begin);
    response.set_content_provider(
        server_.content().size(), "text/plain",
        [this, state, begin, crawls](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
          if (offset != begin && !state->wait(begin, crawls)) return false;
          return sink.write(server_.content().data() + offset, crawls ? std::min<std::size_t>(length, 4096) : 1);
        });
    return true;
  });
  ReadAhead far(far_file(), state_, state_.size, kLongRequest);
  EXPECT_TRUE(read_all(far) == server_.content());
  const std::lock_guard lock(state->mutex);
  EXPECT_EQ(state->slow.size(), 2u);
  const auto is_twice = [](const auto& range) { return range.second == 2; };
  EXPECT_EQ(std::count_if(state->requests.begin(), state->requests.end(), is_twice), 1);
  state->is_over = true;
  state->changed.notify_all();
}

TEST_F(ReadAheadTest, FailsWhereNoThreadCanBeStarted) {
  ReadAhead far(far_file(), state_, state_.size, kLongRequest);
  ASSERT_TRUE(FarFile(url(), nullptr).look());  // the server has its threads then
  const NoThreads none;
  far.start_at(0);
  char byte = 0;
  const auto read = far.read(&byte, 1);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "this machine cannot start another thread");
}

}  // namespace
}  // namespace ontime::worker
