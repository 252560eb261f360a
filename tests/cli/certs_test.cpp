// What `ontime certs` makes and what it refuses to. That OpenSSL takes it for TLS is shown in tests/net.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "cli/certs/certificate_directory.h"
#include "cli/command_line.h"
#include "common/net/tls_identity.h"
#include "common/net/token.h"
#include "tests/support/temporary_directory.h"

namespace ontime::cli {
namespace {

using testing::HasSubstr;
constexpr std::chrono::hours kYear{24 * 365};

class CertsTest : public testing::Test {
 protected:
  std::string refusal(const CertificateRequest& request, IfThere if_there = IfThere::Refuse) {
    const auto issued = certs_.issue(request, if_there);
    return issued ? "(none)" : issued.error().message;
  }
  static unsigned mode_of(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
    return status.st_mode & 07777;
  }

  test::TemporaryDirectory directory_;
  CertificateDirectory certs_{directory_ / "certs"};
};

TEST_F(CertsTest, KeysAreForTheirOwnerOnly) {
  ASSERT_TRUE(certs_.make_authority(kYear, IfThere::Refuse));
  const auto alice = certs_.issue({"alice", "submit", {}, kYear / 2}, IfThere::Refuse);
  ASSERT_TRUE(alice) << alice.error().message;
  EXPECT_EQ(*alice, certs_.path() + "/alice");
  EXPECT_EQ(mode_of(certs_.path()), 0700u);
  EXPECT_EQ(mode_of(certs_.path() + "/ca.key"), 0600u);
  EXPECT_EQ(mode_of(*alice), 0700u);
  EXPECT_EQ(mode_of(*alice + "/key.pem"), 0600u);
  EXPECT_EQ(test::read_file(*alice + "/ca.pem"), test::read_file(certs_.path() + "/ca.pem"));
}

TEST_F(CertsTest, NothingThatIsThereIsReplacedUnasked) {
  ASSERT_TRUE(certs_.make_authority(kYear, IfThere::Refuse));
  ASSERT_TRUE(certs_.issue({"alice", "submit", {}, kYear / 2}, IfThere::Refuse));
  const std::string authority = test::read_file(certs_.path() + "/ca.pem");
  const std::string alice = test::read_file(certs_.path() + "/alice/cert.pem");
  const Status again = certs_.make_authority(kYear, IfThere::Refuse);
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().message, HasSubstr("--force"));
  EXPECT_THAT(refusal({"alice", "admin", {}, kYear / 2}), HasSubstr("--force"));
  EXPECT_EQ(test::read_file(certs_.path() + "/ca.pem"), authority);
  EXPECT_EQ(test::read_file(certs_.path() + "/alice/cert.pem"), alice);
  EXPECT_EQ(refusal({"alice", "admin", {}, kYear / 2}, IfThere::Replace), "(none)");
  EXPECT_NE(test::read_file(certs_.path() + "/alice/cert.pem"), alice);
}

TEST_F(CertsTest, NamesAndHostsThatAreNoneAreRefused) {
  ASSERT_TRUE(certs_.make_authority(kYear, IfThere::Refuse));
  for (const char* name : {"", ".", "..", "../x", "a/b", "-x", "a b", "a\nb", "\xc3\xa9"}) {
    EXPECT_THAT(refusal({name, "submit", {}, kYear / 2}), HasSubstr("is no name")) << name;
  }
  EXPECT_THAT(refusal({std::string(65, 'x'), "submit", {}, kYear / 2}), HasSubstr("is no name"));
  for (const char* host : {"", "a b", "x,DNS:y", "http://x", "10.0.0.1/8"}) {
    EXPECT_THAT(refusal({"node", "worker", {host}, kYear / 2}), HasSubstr("neither the name of a host")) << host;
  }
  EXPECT_FALSE(std::filesystem::exists(certs_.path() + "/node"));
  EXPECT_EQ(refusal({"node", "worker", {"a.example", "10.0.0.1", "::1"}, kYear / 2}), "(none)");
}

TEST_F(CertsTest, AClusterGetsACertificateAndATokenForEachRole) {
  EXPECT_FALSE(certs_.make_cluster({"a b"}, kYear, IfThere::Refuse));
  EXPECT_FALSE(std::filesystem::exists(certs_.path())) << "a bad host leaves half of it";
  const auto made = certs_.make_cluster({"master", "127.0.0.1"}, kYear, IfThere::Refuse);
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_EQ(made->size(), 5u);
  const auto accepted = net::Tokens::parse(test::read_file(certs_.path() + "/master/tokens"));
  ASSERT_TRUE(accepted) << accepted.error().message;
  for (const std::string role : {"worker", "submit", "admin", "read-only"}) {
    const std::string directory = certs_.path() + "/" + role;
    EXPECT_TRUE(net::TlsIdentity::load({directory + "/ca.pem", directory + "/cert.pem", directory + "/key.pem"}));
    EXPECT_EQ(mode_of(directory + "/token"), 0600u);
    const auto token = net::read_own_token(directory + "/token");
    ASSERT_TRUE(token) << token.error().message;
    const auto is_it = [&](const net::Token& one) { return one.secret == *token && one.role == role; };
    EXPECT_TRUE(std::any_of(accepted->all().begin(), accepted->all().end(), is_it)) << role;
  }
  EXPECT_EQ(test::read_file(certs_.path() + "/master/token"), test::read_file(certs_.path() + "/read-only/token"));
  EXPECT_FALSE(certs_.make_cluster({"master"}, kYear, IfThere::Refuse));
}

TEST_F(CertsTest, ATokenBesideTheCertificateIsShownUnlessThereIsAnother) {
  ASSERT_TRUE(certs_.make_cluster({"master"}, kYear, IfThere::Refuse));
  const std::string admin = certs_.path() + "/admin";
  ::setenv("ONTIME_TLS_DIR", admin.c_str(), 1);
  ::unsetenv("ONTIME_TOKEN");
  EXPECT_EQ("admin:" + *net::read_own_token("") + "\n", test::read_file(admin + "/token"));
  ::setenv("ONTIME_TOKEN", "another", 1);
  EXPECT_EQ(*net::read_own_token(""), "another");
  EXPECT_NE(*net::read_own_token(certs_.path() + "/worker/token"), "another");
  ::unsetenv("ONTIME_TOKEN");
  ::setenv("ONTIME_TLS_DIR", directory_.path().c_str(), 1);  // a directory without tokens
  EXPECT_EQ(*net::read_own_token(""), "");
  ::unsetenv("ONTIME_TLS_DIR");
}

TEST_F(CertsTest, WithoutAnAuthorityOrLongerThanItNothingIsSigned) {
  EXPECT_THAT(refusal({"alice", "submit", {}, kYear}), HasSubstr("'ontime certs init'"));
  ASSERT_TRUE(certs_.make_authority(kYear, IfThere::Refuse));
  EXPECT_THAT(refusal({"alice", "submit", {}, 2 * kYear}), HasSubstr("longer than its authority"));
  CertificateDirectory other(directory_ / "other");
  ASSERT_TRUE(other.make_authority(kYear, IfThere::Refuse));
  test::write_file(certs_.path() + "/ca.key", test::read_file(other.path() + "/ca.key"));
  EXPECT_THAT(refusal({"alice", "submit", {}, kYear / 2}), HasSubstr("not the key of the authority"));
  test::write_file(certs_.path() + "/ca.pem", "no certificate");
  EXPECT_THAT(refusal({"alice", "submit", {}, kYear / 2}), HasSubstr("not the certificate of an authority"));
}

CertsCommand parsed(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "certs");
  const auto line = parse_command_line(arguments);
  EXPECT_TRUE(line.command) << line.text;
  return line.command ? std::get<CertsCommand>(*line.command) : CertsCommand();
}

TEST(CertsCommandLine, EachKindHasItsOwnDefaults) {
  EXPECT_EQ(parsed({"init"}).days, 3650u);
  EXPECT_EQ(parsed({"init", "--days", "7"}).days, 7u);
  const CertsCommand node = parsed({"node", "n", "--host", "a", "--host", "b", "--dir", "d"});
  EXPECT_EQ(node.what, CertsCommand::What::Node);
  EXPECT_EQ(node.hosts, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(node.directory, "d");
  EXPECT_EQ(node.days, 365u);
  const CertsCommand client = parsed({"client", "alice", "--role", "admin", "--force"});
  EXPECT_EQ(client.what, CertsCommand::What::Client);
  EXPECT_EQ(client.role, "admin");
  EXPECT_TRUE(client.force);
}

TEST(CertsCommandLine, WrongUsageIsRefused) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"certs"},
                                                    {"certs", "client", "a", "--role", "worker"},
                                                    {"certs", "node"},
                                                    {"certs", "init", "--days", "0"},
                                                    {"certs", "burn"}}) {
    EXPECT_EQ(parse_command_line(arguments).exit, ExitCode::BadUsage) << arguments.back();
  }
}

}  // namespace
}  // namespace ontime::cli
