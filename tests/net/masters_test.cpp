#include "common/net/masters.h"

#include <optional>
#include <string>
#include <vector>

#include "common/net/handshake.h"
#include "common/net/sockets.h"
#include "tests/net/net_fixture.h"

namespace ontime::net {
namespace {

using namespace std::chrono_literals;

TEST(Masters, AreReadAsAListOfAddresses) {
  const auto masters = parse_masters("a:1,b,[::1]:3", 7400);
  ASSERT_TRUE(masters);
  EXPECT_EQ(to_string(*masters), "a:1,b:7400,[::1]:3");
  EXPECT_TRUE(masters->are_several());
  EXPECT_FALSE(parse_masters("a:1", 7400)->are_several());
  for (const char* wrong : {"", "a:1,", ",a:1", "a:1,,b:2", "a:0", "a:1,b:x"}) {
    const auto refused = parse_masters(wrong, 7400);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_EQ(refused.error().kind, ErrorKind::BadInput) << wrong;
  }
}

TEST(Masters, AreTriedInTurnAndAsTheyNameEachOther) {
  Masters masters = *parse_masters("a:1,b:2", 0);
  masters.turn_to("c:3");
  EXPECT_EQ(to_string(masters.current()), "c:3");
  masters.try_next();
  EXPECT_EQ(to_string(masters.current()), "b:2") << "the leader is gone, and the one that named it was heard";
  masters.turn_to("no address");
  EXPECT_EQ(to_string(masters.current()), "a:1");
  masters.turn_to("");
  EXPECT_EQ(to_string(masters.current()), "b:2");
}

// Masters on ports of their own, each with what it says to a peer.
class ReachTest : public NetTest {
 protected:
  struct Host {
    asio::ip::tcp::acceptor socket;
    HostIdentity identity;
    int asked = 0;
  };

  Host& add(std::optional<std::string> follows) {
    HostIdentity identity{"cluster-a", 7, Tokens::single("secret")};
    identity.follows = std::move(follows);
    auto socket = listen(io_.get_executor(), {"127.0.0.1", 0});
    EXPECT_TRUE(socket);
    hosts_.push_back(std::make_unique<Host>(Host{std::move(*socket), std::move(identity)}));
    spawn(serve(*hosts_.back()));
    return *hosts_.back();
  }
  static Endpoint address_of(const Host& host) { return {"127.0.0.1", host.socket.local_endpoint().port()}; }
  Endpoint dead_address() {
    auto socket = listen(io_.get_executor(), {"127.0.0.1", 0});
    return {"127.0.0.1", socket->local_endpoint().port()};
  }

  Result<Reached> reach(Masters masters, std::string cluster = "", std::string token = "secret", Duration limit = 10s) {
    masters_ = std::move(masters);
    std::optional<Result<Reached>> outcome;
    spawn(guest(outcome, std::move(cluster), std::move(token), limit));
    run();
    return std::move(*outcome);
  }

  Masters masters_;

 private:
  asio::awaitable<void> guest(std::optional<Result<Reached>>& outcome, std::string cluster, std::string token,
                              Duration limit) {
    wire::Hello hello;
    hello.set_role(wire::WORKER);
    hello.set_cluster(cluster);
    outcome.emplace(co_await reach_leader(&masters_, nullptr, std::move(hello), std::move(token), limit));
    for (const auto& host : hosts_) host->socket.close();
  }

  asio::awaitable<void> serve(Host& host) {
    for (;;) {
      auto [error, peer] = co_await host.socket.async_accept(no_throw);
      if (error) co_return;
      ++host.asked;
      auto connection = Connection::make(std::move(peer));
      const auto guest = co_await answer_hello(connection, host.identity, 10s);
      if (!guest) connection->close();
    }
  }

  std::vector<std::unique_ptr<Host>> hosts_;
};

TEST_F(ReachTest, AFollowerSendsThePeerOnToTheLeader) {
  Host& leader = add(std::nullopt);
  Host& follower = add(to_string(address_of(leader)));
  const std::string address = to_string(address_of(leader));
  const auto reached = reach(address_of(follower));
  ASSERT_TRUE(reached) << reached.error().message;
  EXPECT_EQ(reached->reply.cluster(), "cluster-a");
  EXPECT_EQ(to_string(masters_.current()), address) << "the next time it is asked first";
  EXPECT_EQ(follower.asked, 1);
  EXPECT_EQ(leader.asked, 1);
}

TEST_F(ReachTest, OfSeveralThatAreDeadOrKnowNoLeaderTheOneThatLeadsIsFound) {
  Host& lost = add("");
  Host& leader = add(std::nullopt);
  const auto reached = reach(Masters({dead_address(), address_of(lost), address_of(leader)}));
  ASSERT_TRUE(reached) << reached.error().message;
  EXPECT_EQ(leader.asked, 1);
}

TEST_F(ReachTest, WaitsForOneToLead) {
  Host& one = add("");
  Host& other = add("");
  asio::steady_timer later(io_, 100ms);
  later.async_wait([&other](const asio::error_code&) { other.identity.follows.reset(); });
  const auto reached = reach(Masters({address_of(one), address_of(other)}));
  EXPECT_TRUE(reached) << reached.error().message;
}

TEST_F(ReachTest, SaysThatNoneLeadsWhenTheTimeIsOver) {
  Host& one = add("");
  Host& other = add("");
  const auto reached = reach(Masters({address_of(one), address_of(other)}), "", "secret", 50ms);
  ASSERT_FALSE(reached);
  EXPECT_EQ(reached.error().kind, ErrorKind::Unavailable);
  EXPECT_NE(reached.error().message.find("none leads just now"), std::string::npos) << reached.error().message;
}

TEST_F(ReachTest, FollowersThatNameEachOtherEndNoSingleTryInALoop) {
  Host& one = add("");
  Host& other = add(to_string(address_of(one)));
  one.identity.follows = to_string(address_of(other));
  const auto reached = reach(address_of(one));
  ASSERT_FALSE(reached);
  EXPECT_LE(one.asked + other.asked, 3);
}

// Whom it named has ended since, and it knows who leads now.
TEST_F(ReachTest, ASingleMasterIsAskedAgainWhenWhomItNamedIsGone) {
  Host& leader = add(std::nullopt);
  Host& follower = add(to_string(address_of(leader)));
  Masters masters = address_of(follower);
  masters.turn_to(to_string(dead_address()));
  const auto reached = reach(masters);
  ASSERT_TRUE(reached) << reached.error().message;
  EXPECT_EQ(follower.asked, 1);
}

TEST_F(ReachTest, ARefusalIsNotPassedOver) {
  Host& follower = add("");
  Host& leader = add(std::nullopt);
  const auto reached = reach(Masters({address_of(follower), address_of(leader)}), "", "another secret");
  ASSERT_FALSE(reached);
  EXPECT_EQ(reached.error().kind, ErrorKind::BadInput);
  EXPECT_EQ(leader.asked, 0);
  EXPECT_EQ(reached.error().message.find("follow"), std::string::npos) << "a stranger learns nothing of the masters";
}

TEST_F(ReachTest, ASingleMasterIsTriedOnce) {
  const auto reached = reach(dead_address());
  ASSERT_FALSE(reached);
  EXPECT_EQ(reached.error().kind, ErrorKind::Unavailable);
}

}  // namespace
}  // namespace ontime::net
