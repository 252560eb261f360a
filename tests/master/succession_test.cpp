#include "master/succession.h"

#include <gtest/gtest.h>

#include <asio/co_spawn.hpp>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "common/net/coroutine.h"
#include "common/net/sockets.h"
#include "tests/support/memory_journal.h"
#include "tests/support/process.h"
#include "tests/support/temporary_directory.h"

namespace ontime::master {
namespace {

using namespace std::chrono_literals;

// Leads when the test says so.
class ScriptedSuccession : public journal::SharedJournal {
 public:
  Status lead(const std::function<void(const std::string&)>& on_leader) override {
    std::unique_lock lock(mutex_);
    on_leader("10.0.0.9:7400");
    is_following_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return outcome_.has_value(); });
    return *outcome_;
  }
  void stop() override { end(unavailable("stopped")); }
  void on_lost(std::function<void(const std::string&)>) override {}

  void end(Status outcome) {
    const std::lock_guard lock(mutex_);
    outcome_ = std::move(outcome);
    changed_.notify_all();
  }
  void wait_until_it_follows() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_following_; });
  }

  const std::string& cluster() const override { return records_.cluster(); }
  Status append(std::span<const scheduler::JournalRecord> batch) override { return records_.append(batch); }
  Status set_back(TimePoint latest) override { return records_.set_back(latest); }
  Status read_all(const std::function<void(const scheduler::JournalRecord&)>& visit) override {
    return records_.read_all(visit);
  }

 private:
  journal::MemoryJournal records_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_following_ = false;
  std::optional<Status> outcome_;
};

class SuccessionTest : public testing::Test {
 protected:
  SuccessionTest() : socket_(*net::listen(io_.get_executor(), {"127.0.0.1", 0})) {
    port_ = socket_.local_endpoint().port();
    waiting_ = std::thread([this] {
      outcome_.emplace(
          wait_to_lead(io_, journal_, socket_, &signals_, {"memory", 0, signals_.tokens(), nullptr, false, ""}));
    });
    journal_.wait_until_it_follows();
  }
  ~SuccessionTest() override {
    if (waiting_.joinable()) end(unavailable("the test is over"));
  }

  void end(Status outcome) {
    journal_.end(std::move(outcome));
    waiting_.join();
  }

  // What the master says to a client; nothing if it lets it in.
  std::optional<Error> knock(std::string token) {
    asio::io_context io(1);
    std::optional<Error> error;
    const auto visit = [&]() -> asio::awaitable<void> {
      net::Endpoint address{"127.0.0.1", port_};
      auto opened = co_await net::open_connection(address, nullptr, 10s);
      if (!opened) {
        error = opened.error();
        co_return;
      }
      wire::Hello hello;
      hello.set_role(wire::CLIENT);
      const auto reply = co_await net::say_hello(*opened, std::move(hello), token, 10s);
      if (!reply) error = reply.error();
      (*opened)->close();
    };
    asio::co_spawn(io, visit(), net::AbortOnException{"knock"});
    io.run();
    return error;
  }

  asio::io_context io_{1};
  test::TemporaryDirectory directory_;
  const std::string token_file_ = directory_ / "token";
  OperatorSignals signals_{io_, token_file_, net::Tokens::single("secret")};
  ScriptedSuccession journal_;
  asio::ip::tcp::acceptor socket_;
  std::uint16_t port_ = 0;
  std::optional<Result<bool>> outcome_;
  std::thread waiting_;
};

TEST_F(SuccessionTest, AFollowerNamesTheLeaderToThoseWhoKnowTheToken) {
  const auto sent_on = knock("secret");
  ASSERT_TRUE(sent_on);
  EXPECT_EQ(sent_on->kind, ErrorKind::Unavailable) << "it is worth another try";
  EXPECT_NE(sent_on->message.find("10.0.0.9:7400"), std::string::npos) << sent_on->message;
  const auto refused = knock("a guess");
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->kind, ErrorKind::BadInput);
  EXPECT_EQ(refused->message.find("10.0.0.9"), std::string::npos) << refused->message;
}

TEST_F(SuccessionTest, WhoComesToLeadStillHasItsSocket) {
  end({});
  ASSERT_TRUE(*outcome_) << outcome_->error().message;
  EXPECT_TRUE(**outcome_);
  EXPECT_TRUE(socket_.is_open());
  EXPECT_EQ(socket_.local_endpoint().port(), port_);
}

TEST_F(SuccessionTest, AFollowerEndsWhenItIsTold) {
  ::raise(SIGTERM);
  waiting_.join();
  ASSERT_TRUE(*outcome_) << outcome_->error().message;
  EXPECT_FALSE(**outcome_);
}

// As it begins to lead, and has not heard of the signal yet.
TEST_F(SuccessionTest, WhoIsToldToEndAsItComesToLeadEndsAsALeader) {
  end({});
  ASSERT_TRUE(*outcome_ && **outcome_);
  ::raise(SIGTERM);
  bool is_told = false;
  signals_.serve({[&] {
                    is_told = true;
                    signals_.pause();
                  },
                  [](net::Tokens) { return 0u; }});
  io_.run();
  EXPECT_TRUE(is_told);
}

TEST_F(SuccessionTest, AFollowerReadsItsTokensAgainAndLeadsWithThem) {
  test::write_secret(token_file_, "another");
  ::raise(SIGHUP);
  EXPECT_TRUE(test::eventually([&] { return knock("another")->kind == ErrorKind::Unavailable; }));
  EXPECT_EQ(knock("secret")->kind, ErrorKind::BadInput);
  end({});
  ASSERT_EQ(signals_.tokens().all().size(), 1u);
  EXPECT_EQ(signals_.tokens().all()[0].secret, "another");
}

TEST_F(SuccessionTest, AJournalThatCannotBeFollowedIsAnError) {
  end(failed("the journal is damaged"));
  ASSERT_FALSE(*outcome_);
  EXPECT_EQ(outcome_->error().message, "the journal is damaged");
}

}  // namespace
}  // namespace ontime::master
