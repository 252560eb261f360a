// TLS between two connections in one process. What strangers get is tried with the real programs in tests/system.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <asio/write.hpp>
#include <chrono>
#include <optional>

#include "cli/certs/certificate_directory.h"
#include "common/net/handshake.h"
#include "tests/net/net_fixture.h"
#include "tests/support/temporary_directory.h"

namespace ontime::net {
namespace {

using namespace std::chrono_literals;
using cli::CertificateDirectory;
using cli::IfThere;
using testing::HasSubstr;

constexpr std::chrono::hours kYear{24 * 365};

// A directory with an authority, a node for 127.0.0.1 and localhost, and a client of each role; and another authority.
// Made once for all tests: keys take time.
struct Cluster {
  Cluster() {
    for (const char* authority : {"ours", "theirs"}) {
      CertificateDirectory made(directory / authority);
      EXPECT_TRUE(made.make_authority(kYear, IfThere::Refuse));
      issue(made, {"node", "worker", {"127.0.0.1", "localhost"}, kYear / 2});
      issue(made, {"alice", "submit", {}, kYear / 2});
      issue(made, {"late", "submit", {}, -std::chrono::hours(1)});
      issue(made, {"odd", "nobody", {}, kYear / 2});
    }
  }
  static void issue(CertificateDirectory& in, const cli::CertificateRequest& request) {
    const auto issued = in.issue(request, IfThere::Refuse);
    EXPECT_TRUE(issued) << issued.error().message;
  }
  TlsFiles files(const std::string& name, const std::string& authority = "ours") const {
    std::string at = directory / authority;
    at += "/" + name;
    return {at + "/ca.pem", at + "/cert.pem", at + "/key.pem"};
  }
  TlsPointer load(const std::string& name, const std::string& authority = "ours") const {
    auto loaded = TlsIdentity::load(files(name, authority));
    EXPECT_TRUE(loaded) << loaded.error().message;
    return loaded ? *loaded : nullptr;
  }
  test::TemporaryDirectory directory;
};

const Cluster& cluster() {
  static const Cluster made;
  return made;
}

class TlsTest : public NetTest {
 protected:
  asio::awaitable<void> guest(std::shared_ptr<Connection> connection, TlsPointer identity, wire::Hello hello,
                              std::string token) {
    Status encrypted;
    if (identity) encrypted = co_await connection->encrypt(identity, asked_for_);
    if (!encrypted) {
      said_to_guest_ = encrypted.error();
      connection->close();
      co_return;
    }
    const auto reply = co_await say_hello(connection, std::move(hello), std::move(token), limit_);
    if (!reply) said_to_guest_ = reply.error();
  }

  asio::awaitable<void> host(std::shared_ptr<Connection> connection, TlsPointer identity, Tokens tokens) {
    HostIdentity who{"cluster-a", 7, std::move(tokens), std::move(identity)};
    met_.emplace(co_await answer_hello(connection, std::move(who), limit_));
  }

  // A client that shows `token` meets a host.
  void meet(TlsPointer guest_identity, TlsPointer host_identity, Tokens tokens = {}, const char* token = "",
            wire::Role role = wire::CLIENT) {
    said_to_guest_.reset();
    wire::Hello hello;
    hello.set_role(role);
    pair_ = make_pair();
    spawn(guest(pair_.left, std::move(guest_identity), std::move(hello), token));
    spawn(host(pair_.right, std::move(host_identity), std::move(tokens)));
    run();
  }

  // Neither side goes on, and each has its sentence.
  void expect_refused(const std::string& guest_reads, const std::string& host_reads) {
    ASSERT_TRUE(met_ && !*met_);
    ASSERT_TRUE(said_to_guest_);
    EXPECT_THAT(said_to_guest_->message, HasSubstr(guest_reads));
    EXPECT_THAT(met_->error().message, HasSubstr(host_reads));
    EXPECT_EQ(said_to_guest_->kind, ErrorKind::BadInput) << said_to_guest_->message;
    EXPECT_FALSE(pair_.left->is_open());
    EXPECT_FALSE(pair_.right->is_open());
  }

  Duration limit_ = 30s;
  std::string asked_for_ = "127.0.0.1";
  Pair pair_;
  std::optional<Error> said_to_guest_;
  std::optional<Result<Guest>> met_;
};

TEST_F(TlsTest, TheTwoOfOneAuthorityMeetAndTheHostKnowsWhoItIs) {
  meet(cluster().load("alice"), cluster().load("node"));
  ASSERT_TRUE(*met_) << met_->error().message;
  EXPECT_FALSE(said_to_guest_);
  EXPECT_EQ(pair_.right->certificate()->name, "alice");
  EXPECT_EQ(pair_.right->certificate()->role, "submit");
  EXPECT_EQ(pair_.left->certificate()->name, "node");
  EXPECT_EQ((*met_)->rights, *rights_of_role("submit"));
  EXPECT_EQ((*met_)->credentials, "certificate of alice (submit)");
}

TEST_F(TlsTest, ANameIsAsGoodAsAnAddress) {
  asked_for_ = "localhost";
  meet(cluster().load("node"), cluster().load("node"), {}, "", wire::WORKER);
  EXPECT_TRUE(*met_) << met_->error().message;
}

asio::awaitable<void> send_many(std::shared_ptr<Connection> connection, int count, std::size_t size) {
  for (int i = 0; i < count; ++i) {
    std::string token(size, static_cast<char>('a' + i % 26));
    const bool is_sent = connection->send(hello_with(std::move(token)));
    EXPECT_TRUE(is_sent);
    if (i % 8 == 0) co_await connection->flush();
  }
}

asio::awaitable<void> receive_many(std::shared_ptr<Connection> connection, int count, std::size_t size, int& received) {
  for (; received < count; ++received) {
    const auto payload = co_await connection->receive();
    if (!payload) co_return;
    const bool is_same = text_of(*payload) == std::string(size, static_cast<char>('a' + received % 26));
    EXPECT_TRUE(is_same) << received;
  }
}

TEST_F(TlsTest, FramesOfEverySizePassBothWaysAtOnce) {
  for (const auto& [count, size] : {std::pair{500, std::size_t{10}}, std::pair{20, std::size_t{1} << 20}}) {
    meet(cluster().load("alice"), cluster().load("node"));
    ASSERT_TRUE(*met_);
    int there = 0;
    int back = 0;
    spawn(send_many(pair_.left, count, size));
    spawn(receive_many(pair_.right, count, size, there));
    spawn(send_many(pair_.right, count, size));
    spawn(receive_many(pair_.left, count, size, back));
    run();
    EXPECT_EQ(there, count);
    EXPECT_EQ(back, count);
  }
}

asio::awaitable<void> receive_error(std::shared_ptr<Connection> connection, std::optional<Error>& error) {
  const auto payload = co_await connection->receive();
  if (!payload) error = payload.error();
}

TEST_F(TlsTest, AnEndIsAnEndAsWithoutTls) {
  meet(cluster().load("alice"), cluster().load("node"));
  std::optional<Error> error;
  spawn(receive_error(pair_.right, error));
  pair_.left->close();
  run();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind, ErrorKind::Unavailable) << error->message;
  EXPECT_THAT(error->message, HasSubstr("closed the connection"));
}

TEST_F(TlsTest, AHostOfAnotherAuthorityIsNotSpokenTo) {
  meet(cluster().load("alice"), cluster().load("node", "theirs"));
  expect_refused("is not from our authority", "our certificate is not from its authority");
}

TEST_F(TlsTest, AGuestOfAnotherAuthorityIsNotLetIn) {
  // It believes our authority but has no certificate of it: the host is the one that refuses.
  TlsFiles mixed = cluster().files("alice", "theirs");
  const std::string both = cluster().directory / "both.pem";
  test::write_file(both, test::read_file(mixed.authority) + test::read_file(cluster().files("alice").authority));
  mixed.authority = both;
  const auto stranger = TlsIdentity::load(mixed);
  ASSERT_TRUE(stranger) << stranger.error().message;
  meet(*stranger, cluster().load("node"));
  expect_refused("our certificate is not from its authority", "is not from our authority");
}

TEST_F(TlsTest, AHostByAnotherNameIsNotSpokenTo) {
  for (const char* name : {"127.0.0.2", "master.example", "127.0.0.1.example"}) {
    asked_for_ = name;
    meet(cluster().load("alice"), cluster().load("node"));
    expect_refused(std::string("is not for '") + name, "does not accept our certificate");
  }
}

TEST_F(TlsTest, AClientsCertificateMakesNoHost) {
  meet(cluster().load("alice"), cluster().load("alice"));
  ASSERT_TRUE(met_ && !*met_ && said_to_guest_);
}

TEST_F(TlsTest, APlainGuestIsToldToSpeakTls) {
  meet(nullptr, cluster().load("node"), Tokens::single("secret"), "secret");
  expect_refused("the master speaks TLS only; give --tls-ca", "the master speaks TLS only");
}

TEST_F(TlsTest, AHostWithoutTlsIsToldApart) {
  meet(cluster().load("alice"), nullptr);
  expect_refused("does not speak TLS", "speaks TLS and this master does not");
}

TEST_F(TlsTest, OnlyWhatBothTokenAndCertificateMayIsAllowed) {
  const Tokens tokens = *Tokens::parse("admin:boss\nread-only:looker\nworker:hand\n");
  meet(cluster().load("alice"), cluster().load("node"), tokens, "boss");
  ASSERT_TRUE(*met_) << met_->error().message;
  EXPECT_EQ((*met_)->rights, *rights_of_role("submit"));
  EXPECT_EQ((*met_)->credentials, "token of admin, certificate of alice (submit)");
  meet(cluster().load("alice"), cluster().load("node"), tokens, "looker");
  EXPECT_EQ((*met_)->rights, *rights_of_role("read-only"));
  meet(cluster().load("node"), cluster().load("node"), tokens, "hand", wire::WORKER);
  EXPECT_TRUE(*met_);
}

TEST_F(TlsTest, AWorkerNeedsANodesCertificateAndAWorkersToken) {
  const Tokens tokens = *Tokens::parse("admin:boss\nworker:hand\n");
  meet(cluster().load("alice"), cluster().load("node"), tokens, "hand", wire::WORKER);
  expect_refused("needs the role worker", "certificate of alice (submit)");
  meet(cluster().load("node"), cluster().load("node"), tokens, "boss", wire::WORKER);
  expect_refused("needs the role worker", "token of admin");
  meet(cluster().load("node"), cluster().load("node"), tokens, "guess", wire::WORKER);
  expect_refused("token", "token");
}

TEST_F(TlsTest, ACertificateWithoutAKnownRoleMayNothing) {
  meet(cluster().load("odd"), cluster().load("node"));
  expect_refused("certificate of odd (nobody)", "needs a role");
}

TEST_F(TlsTest, WhoFallsSilentDuringTheHandshakeIsGivenUp) {
  limit_ = 20ms;
  for (const std::string& bytes :
       {std::string(), std::string("\x16\x03"), std::string("\x16\x03\x01\x02\x00\x01", 6)}) {
    auto [socket, silent] = make_sockets();
    const auto connection = Connection::make(std::move(socket));
    if (!bytes.empty()) asio::write(silent, asio::buffer(bytes));
    spawn(host(connection, cluster().load("node"), {}));
    run();
    ASSERT_TRUE(met_ && !*met_);
    EXPECT_FALSE(connection->is_open());
    met_.reset();
  }
}

TEST_F(TlsTest, BytesThatOnlyBeginLikeTlsAreRefused) {
  auto [socket, stranger] = make_sockets();
  const auto connection = Connection::make(std::move(socket));
  std::string bytes("\x16\x03\x01\x00\x40", 5);
  bytes += std::string(200, '\xff');
  asio::write(stranger, asio::buffer(bytes));
  stranger.shutdown(asio::socket_base::shutdown_send);
  spawn(host(connection, cluster().load("node"), {}));
  run();
  ASSERT_TRUE(met_ && !*met_);
  EXPECT_FALSE(connection->is_open());
}

std::string why_not(const TlsFiles& files) {
  const auto loaded = TlsIdentity::load(files);
  if (loaded) return "(nothing is wrong)";
  EXPECT_EQ(loaded.error().kind, ErrorKind::BadInput);
  return loaded.error().message;
}

TEST(TlsIdentity, IsNotLoadedFromFilesThatDoNotFit) {
  const TlsFiles good = cluster().files("alice");
  const TlsFiles node = cluster().files("node");
  const TlsFiles theirs = cluster().files("alice", "theirs");
  EXPECT_THAT(why_not({"/nowhere/ca.pem", good.certificate, good.key}), HasSubstr("/nowhere/ca.pem"));
  EXPECT_THAT(why_not({good.authority, "/nowhere/c.pem", good.key}), HasSubstr("/nowhere/c.pem"));
  EXPECT_THAT(why_not({good.authority, good.certificate, "/nowhere/k.pem"}), HasSubstr("/nowhere/k.pem"));
  EXPECT_THAT(why_not({good.authority, good.certificate, node.key}), HasSubstr("is not the key of the certificate"));
  EXPECT_THAT(why_not({good.authority, good.key, good.key}), HasSubstr("is not a certificate"));
  EXPECT_THAT(why_not({good.key, good.certificate, good.key}), HasSubstr("is not the certificate of an authority"));
  EXPECT_THAT(why_not({theirs.authority, good.certificate, good.key}), HasSubstr("does not belong to the authority"));
  EXPECT_THAT(why_not(cluster().files("late")), HasSubstr("has expired; make another with 'ontime certs'"));
}

TEST(TlsIdentity, IsNotLoadedFromAKeyThatEverybodyCanRead) {
  const test::TemporaryDirectory directory;
  TlsFiles files = cluster().files("alice");
  test::write_file(directory / "key.pem", test::read_file(files.key));
  files.key = directory / "key.pem";
  ASSERT_EQ(::chmod(files.key.c_str(), 0644), 0);
  EXPECT_THAT(why_not(files), HasSubstr("run 'chmod 600 " + files.key));
  ASSERT_EQ(::chmod(files.key.c_str(), 0640), 0);  // a group may, as where secrets are mounted
  EXPECT_TRUE(TlsIdentity::load(files));
}

TEST(TlsIdentity, TheFlagsBelongTogetherAndTheEnvironmentStandsInForThem) {
  const TlsFiles files = cluster().files("alice");
  ::unsetenv("ONTIME_TLS_DIR");
  EXPECT_EQ(*load_tls({}), nullptr);
  EXPECT_NE(*load_tls(files), nullptr);
  EXPECT_FALSE(load_tls({files.authority, files.certificate, ""}));
  EXPECT_FALSE(load_tls({"", "", files.key}));
  std::string directory = cluster().directory / "ours";
  directory += "/node";
  ::setenv("ONTIME_TLS_DIR", directory.c_str(), 1);
  EXPECT_NE(*load_tls({}), nullptr);
  ::setenv("ONTIME_TLS_DIR", "/nowhere", 1);
  EXPECT_FALSE(load_tls({}));
  ::unsetenv("ONTIME_TLS_DIR");
}

}  // namespace
}  // namespace ontime::net
