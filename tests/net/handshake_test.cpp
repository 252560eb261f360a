#include "common/net/handshake.h"

#include <asio/write.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "common/net/token.h"
#include "common/protocol/version.h"
#include "tests/net/net_fixture.h"

namespace ontime::net {
namespace {

using namespace std::chrono_literals;

// Both ends of one handshake.
class HandshakeTest : public NetTest {
 protected:
  static HostIdentity identity() { return {"cluster-a", 7, Tokens::single("secret")}; }

  static wire::Hello good_hello() {
    wire::Hello hello;
    hello.set_role(wire::WORKER);
    return hello;
  }

  asio::awaitable<void> guest(std::shared_ptr<Connection> connection, wire::Hello hello, std::string token) {
    reply_.emplace(co_await say_hello(connection, std::move(hello), std::move(token), limit_));
  }

  asio::awaitable<void> host(std::shared_ptr<Connection> connection, HostIdentity who) {
    hello_.emplace(co_await answer_hello(connection, std::move(who), limit_));
  }

  void shake(wire::Hello hello, HostIdentity who, const std::string& token = "secret") {
    pair_ = make_pair();
    spawn(guest(pair_.left, std::move(hello), token));
    spawn(host(pair_.right, std::move(who)));
    run();
  }

  // Both sides know the same sentence, it contains `word`, and both ends are closed.
  void expect_refused(const std::string& word) {
    ASSERT_TRUE(hello_ && reply_);
    ASSERT_FALSE(*hello_);
    ASSERT_FALSE(*reply_);
    EXPECT_EQ(reply_->error().kind, ErrorKind::BadInput);
    EXPECT_NE(hello_->error().message.find(word), std::string::npos) << hello_->error().message;
    EXPECT_NE(reply_->error().message.find(hello_->error().message), std::string::npos) << reply_->error().message;
    EXPECT_FALSE(pair_.left->is_open());
    EXPECT_FALSE(pair_.right->is_open());
  }

  // A host that may not know the token: challenges the guest, hears its proof and lets it in with this one of its own.
  // Keeps what it has heard.
  asio::awaitable<void> pose_as_host(std::shared_ptr<Connection> connection, bool wants_token, std::string proof) {
    wire::Challenge challenge;
    challenge.set_nonce(std::string(kNonceBytes, 'n'));
    challenge.set_wants_token(wants_token);
    wire::HelloReply reply;
    reply.set_cluster("cluster-a");
    const auto hello = co_await connection->receive();
    if (hello) heard_.emplace_back(*hello);
    connection->send(challenge);
    const auto said = co_await connection->receive();
    if (!said) co_return;
    heard_.emplace_back(*said);
    reply.set_proof(proof == "echo" ? message_of<wire::Proof>(*said).proof() : proof);
    connection->send(reply);
  }

  // Says those frames to a host, whatever it answers.
  asio::awaitable<void> repeat(std::shared_ptr<Connection> connection, std::vector<std::string> frames) {
    connection->send(message_of<wire::Hello>(frames.at(0)));
    const auto challenge = co_await connection->receive();
    EXPECT_TRUE(challenge);
    connection->send(message_of<wire::Proof>(frames.at(1)));
    const auto reply = co_await connection->receive();
    if (reply) told_ = message_of<wire::HelloReply>(*reply).error();
  }

  template <class Message>
  static Message message_of(std::string_view payload) {
    Message message;
    EXPECT_TRUE(message.ParseFromArray(payload.data(), static_cast<int>(payload.size())));
    return message;
  }

  void shake_with_impostor(bool wants_token, const std::string& proof) {
    heard_.clear();
    pair_ = make_pair();
    spawn(guest(pair_.left, good_hello(), "secret"));
    spawn(pose_as_host(pair_.right, wants_token, proof));
    run();
    ASSERT_TRUE(reply_ && !*reply_);
    EXPECT_EQ(reply_->error().kind, ErrorKind::Failed);
    EXPECT_FALSE(pair_.left->is_open());
    for (const std::string& frame : heard_) EXPECT_EQ(frame.find("secret"), std::string::npos);
  }

  Duration limit_ = 30s;
  Pair pair_;
  std::optional<Result<wire::HelloReply>> reply_;
  std::optional<Result<Guest>> hello_;
  std::vector<std::string> heard_;  // by an impostor
  std::string told_;
};

TEST_F(HandshakeTest, AWorkerWithTheTokenIsLetInAndLearnsClusterAndEpoch) {
  shake(good_hello(), identity());
  ASSERT_TRUE(*hello_) << hello_->error().message;
  ASSERT_TRUE(*reply_) << reply_->error().message;
  EXPECT_EQ((*hello_)->hello.role(), wire::WORKER);
  EXPECT_EQ((*reply_)->cluster(), "cluster-a");
  EXPECT_EQ((*reply_)->epoch(), 7u);
  EXPECT_TRUE(pair_.left->is_open());
  EXPECT_TRUE(pair_.right->is_open());
}

TEST_F(HandshakeTest, WithoutATokenEverybodyOfTheClusterIsLetIn) {
  auto hello = good_hello();
  hello.set_role(wire::CLIENT);
  hello.set_cluster("cluster-a");
  shake(hello, {"cluster-a", 1}, "");
  EXPECT_TRUE(*hello_);
  EXPECT_TRUE(*reply_);
}

TEST_F(HandshakeTest, AnotherMajorVersionIsRefusedWithBothVersionsAndWhatToDo) {
  const std::string us = protocol::describe_own_version();
  const std::string our_release(protocol::release());
  auto hello = good_hello();
  hello.set_protocol(protocol::kVersion.major_version + 1);
  hello.set_release("9.8.7");
  shake(hello, identity());
  expect_refused("the worker is Ontime 9.8.7 (protocol " + std::to_string(hello.protocol()) +
                 ".0) and this master is " + us +
                 ", which do not understand each other; upgrade the master, or use Ontime " + our_release +
                 " for the worker");
  hello.set_protocol(protocol::kVersion.major_version - 1);
  hello.set_role(wire::CLIENT);
  hello.clear_release();
  shake(hello, identity());
  expect_refused("the client is an older Ontime (protocol " + std::to_string(hello.protocol()) +
                 ".0) and this master is " + us + ", which do not understand each other; upgrade the client to Ontime " +
                 our_release);
}

TEST_F(HandshakeTest, OtherMinorVersionsAreLetInAndBothSidesKnowTheVersions) {
  for (const std::uint32_t minor : {0u, protocol::kVersion.minor_version, protocol::kVersion.minor_version + 40}) {
    auto hello = good_hello();
    hello.set_protocol(protocol::kVersion.major_version);
    hello.set_protocol_minor(minor);
    shake(hello, identity());
    ASSERT_TRUE(*hello_) << hello_->error().message;
    ASSERT_TRUE(*reply_) << reply_->error().message;
    EXPECT_EQ(protocol::version_of((*hello_)->hello).minor_version, minor);
    EXPECT_EQ(protocol::version_of(**reply_), protocol::kVersion);
    EXPECT_EQ((*reply_)->release(), protocol::release());
  }
}

TEST(Version, AReleaseThatIsNoneIsNotRepeated) {
  for (const std::string& release : {std::string("1.0\n\x1b[31m"), std::string(33, '1'), std::string("A\0b", 3)}) {
    EXPECT_EQ(protocol::describe({99, 2}, release), "a newer Ontime (protocol 99.2)");
  }
  EXPECT_EQ(protocol::describe({5, 2}, "0.0.9~rc1"), "Ontime 0.0.9~rc1 (protocol 5.2)");
}

TEST_F(HandshakeTest, AWrongTokenIsRefusedAndNotRepeated) {
  for (const char* token : {"", "secres", "secre", "secrets"}) {
    shake(good_hello(), identity(), token);
    expect_refused("token");
    EXPECT_EQ(reply_->error().message.find("secret"), std::string::npos);
  }
}

TEST_F(HandshakeTest, AGuestWithoutATokenIsToldThatOneIsWanted) {
  shake(good_hello(), identity(), "");
  expect_refused("the worker has no token and the master wants one");
}

TEST_F(HandshakeTest, AHostThatDoesNotKnowTheTokenIsNotSpokenToAndNeverHearsIt) {
  for (const char* proof : {"", "echo", "made up"}) {
    shake_with_impostor(true, proof);
    EXPECT_EQ(heard_.size(), 2u);
    EXPECT_NE(reply_->error().message.find("does not know the token; is another program on that port?"),
              std::string::npos)
        << reply_->error().message;
  }
}

TEST_F(HandshakeTest, AHostThatAsksForNoTokenIsNotSpokenToByAGuestThatHasOne) {
  shake_with_impostor(false, "");
  EXPECT_EQ(heard_.size(), 1u);
  EXPECT_NE(reply_->error().message.find("asks for no token"), std::string::npos) << reply_->error().message;
}

TEST_F(HandshakeTest, WhatAnImpostorHasHeardLetsNobodyIn) {
  shake_with_impostor(true, "");
  pair_ = make_pair();
  spawn(repeat(pair_.left, heard_));
  spawn(host(pair_.right, identity()));
  run();
  ASSERT_TRUE(hello_ && !*hello_);
  EXPECT_NE(told_.find("token is not the master's"), std::string::npos) << told_;
}

TEST_F(HandshakeTest, AWorkerOfAnotherClusterIsRefusedWithBothNames) {
  auto hello = good_hello();
  hello.set_cluster("cluster-b");
  shake(hello, identity());
  expect_refused("cluster-b");
}

TEST_F(HandshakeTest, AStrangerDoesNotLearnTheClustersName) {
  auto hello = good_hello();
  hello.set_cluster("cluster-b");
  shake(hello, identity(), "wrong");
  expect_refused("token");
  EXPECT_EQ(reply_->error().message.find("cluster-a"), std::string::npos);
}

TEST_F(HandshakeTest, AnUnknownRoleIsRefused) {
  for (const int role : {0, 99, -1}) {
    auto hello = good_hello();
    hello.set_role(static_cast<wire::Role>(role));
    shake(hello, identity());
    expect_refused("neither a worker nor a client");
  }
}

TEST_F(HandshakeTest, ASilentGuestIsGivenUp) {
  limit_ = 5ms;
  auto [socket, silent] = make_sockets();
  const auto connection = Connection::make(std::move(socket));
  spawn(host(connection, identity()));
  run();
  ASSERT_TRUE(hello_ && !*hello_);
  EXPECT_EQ(hello_->error().kind, ErrorKind::Unavailable);
  EXPECT_FALSE(connection->is_open());
}

asio::awaitable<void> say_only_hello(std::shared_ptr<Connection> connection, wire::Hello hello) {
  protocol::set_version(hello);
  connection->send(hello);
  co_await connection->flush();
}

TEST_F(HandshakeTest, AGuestThatProvesNothingIsGivenUp) {
  limit_ = 5ms;
  pair_ = make_pair();
  spawn(say_only_hello(pair_.left, good_hello()));
  spawn(host(pair_.right, identity()));
  run();
  ASSERT_TRUE(hello_ && !*hello_);
  EXPECT_EQ(hello_->error().kind, ErrorKind::Unavailable);
  EXPECT_FALSE(pair_.right->is_open());
}

TEST_F(HandshakeTest, ASilentHostIsGivenUp) {
  limit_ = 5ms;
  auto [socket, silent] = make_sockets();
  const auto connection = Connection::make(std::move(socket));
  spawn(guest(connection, good_hello(), "secret"));
  run();
  ASSERT_TRUE(reply_ && !*reply_);
  EXPECT_EQ(reply_->error().kind, ErrorKind::Unavailable);
  EXPECT_FALSE(connection->is_open());
}

TEST_F(HandshakeTest, AHostThatClosesWithoutAWordIsUnavailable) {
  auto [socket, peer] = make_sockets();
  peer.close();
  spawn(guest(Connection::make(std::move(socket)), good_hello(), "secret"));
  run();
  ASSERT_TRUE(reply_ && !*reply_);
  EXPECT_EQ(reply_->error().kind, ErrorKind::Unavailable);
}

TEST_F(HandshakeTest, BytesThatAreNoHelloAreRefused) {
  const std::string no_protobuf("\x04\0\0\0\xff\xff\xff\xff", 8);
  const std::string browser = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const std::string too_long("\xff\xff\x0f\0", 4);  // a megabyte from somebody who has not said who he is
  for (const auto& bytes : {no_protobuf, browser, too_long}) {
    auto [socket, stranger] = make_sockets();
    const auto connection = Connection::make(std::move(socket));
    asio::write(stranger, asio::buffer(bytes));
    spawn(host(connection, identity()));
    run();
    ASSERT_TRUE(hello_ && !*hello_);
    EXPECT_EQ(hello_->error().kind, ErrorKind::Failed);
    EXPECT_FALSE(connection->is_open());
    hello_.reset();
  }
}

asio::awaitable<void> receive_size(std::shared_ptr<Connection> connection, std::size_t& size) {
  const auto payload = co_await connection->receive();
  if (payload) size = payload->size();
}

TEST_F(HandshakeTest, LargeFramesPassOnlyAfterIt) {
  shake(good_hello(), identity());
  std::size_t size = 0;
  pair_.left->send(hello_with(std::string(1000000, 'x')));
  spawn(receive_size(pair_.right, size));
  run();
  EXPECT_GT(size, 1000000u);
}

TEST_F(HandshakeTest, LargeFramesOfGuestsThatMayOnlyReadEndTheConnection) {
  wire::Hello client = good_hello();
  client.set_role(wire::CLIENT);
  HostIdentity who = identity();
  who.tokens = *Tokens::parse("read-only:secret-of-many\n");
  shake(client, std::move(who), "secret-of-many");
  ASSERT_TRUE(*hello_) << hello_->error().message;
  std::size_t size = 0;
  pair_.left->send(hello_with(std::string(1000000, 'x')));
  spawn(receive_size(pair_.right, size));
  run();
  EXPECT_EQ(size, 0u);
  EXPECT_FALSE(pair_.right->is_open());
}

TEST(Proof, FitsOneTokenOneConversationAndOneSide) {
  const Greeting greeting{"hello", random_bytes(kNonceBytes)};
  const std::string proof = make_proof(Side::Guest, "secret", greeting);
  EXPECT_EQ(proof.size(), 32u);
  EXPECT_TRUE(is_proof(proof, Side::Guest, "secret", greeting));
  EXPECT_FALSE(is_proof(proof, Side::Host, "secret", greeting));
  EXPECT_FALSE(is_proof(proof, Side::Guest, "secret.", greeting));
  EXPECT_FALSE(is_proof(proof, Side::Guest, "secret", {"hello.", greeting.challenge}));
  EXPECT_FALSE(is_proof(proof, Side::Guest, "secret", {"hello", random_bytes(kNonceBytes)}));
  EXPECT_FALSE(is_proof("", Side::Guest, "secret", greeting));
}

TEST(Token, IsRandomAndHexadecimal) {
  const std::string token = make_token();
  EXPECT_EQ(token.size(), 32u);
  EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(token, make_token());
}

TEST(Token, OnlyTheSameTokenIsTheSame) {
  EXPECT_TRUE(is_same_token("", ""));
  EXPECT_TRUE(is_same_token("abc", "abc"));
  for (const char* other : {"", "a", "ab", "abd", "xbc", "abcabc", "abcd"}) {
    EXPECT_FALSE(is_same_token("abc", other)) << other;
    EXPECT_FALSE(is_same_token(other, "abc")) << other;
  }
}

}  // namespace
}  // namespace ontime::net
