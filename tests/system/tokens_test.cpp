// A cluster on a plain loopback with tokens: they are never sent, can be revoked, and decide whose jobs are whose.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>

#include "tests/system/cluster.h"
#include "tests/system/impostor.h"

namespace ontime::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class TokenCluster : public testing::Test {
 protected:
  TokenCluster() {
    write_tokens({"submit:pen-secret", "admin:key-secret", "worker:hand-secret", "read-only:eye-secret"});
    cluster_.start_master({"--token-file", tokens_});
  }

  // The master's file, and one for each line: `pen-secret` and so on.
  void write_tokens(const std::vector<std::string>& lines) {
    std::string all;
    for (const std::string& line : lines) {
      all += line + "\n";
      write_secret(cluster_ / line.substr(line.rfind(':') + 1), line);
    }
    write_secret(tokens_, all);
  }

  void add_worker(const std::string& secret = "hand-secret") {
    cluster_.add_worker(2, {"--token-file", cluster_ / secret});
    ASSERT_TRUE(eventually([&] { return ask({"nodes"}, "eye-secret").out.find(" live ") != std::string::npos; }));
  }

  Finished ask(Arguments arguments, const std::string& secret) {
    arguments.insert(arguments.end(), {"--token-file", cluster_ / secret});
    return cluster_.client(std::move(arguments));
  }

  // One that lasts until it is ended: its id.
  std::string submit(const std::string& output, const std::string& secret) {
    const Finished done =
        ask({"submit", "exec", kText, "--output", cluster_ / output, "--set", "command=sleep 60"}, secret);
    EXPECT_EQ(done.status, 0) << done.err;
    return done.out.substr(0, done.out.find('\n'));
  }

  std::string port() const { return cluster_.address().substr(cluster_.address().find(':') + 1); }
  std::string master_log() { return cluster_.master().output().err; }

  Cluster cluster_;
  const std::string tokens_ = cluster_ / "tokens";
};

TEST_F(TokenCluster, AProgramOnTheMastersPortHearsNoTokenAndIsNotTakenForTheMaster) {
  add_worker();
  const std::string job = submit("out", "pen-secret");
  cluster_.master().kill();
  {
    const Impostor impostor(port());
    ASSERT_TRUE(impostor.is_listening());
    const Finished asked = ask({"jobs"}, "pen-secret");
    EXPECT_EQ(asked.status, 1);
    EXPECT_EQ(asked.err, "ontime jobs: " + cluster_.address() +
                             " does not know the token; is another program on that port?\n");
    EXPECT_TRUE(eventually([&] { return impostor.visitors() >= 3; }));  // the worker too, again and again
    EXPECT_THAT(impostor.heard(), Not(HasSubstr("secret")));
  }
  cluster_.restart_master();
  EXPECT_TRUE(eventually([&] { return ask({"nodes"}, "eye-secret").out.find(" live ") != std::string::npos; }));
  EXPECT_THAT(ask({"job", job}, "eye-secret").out, HasSubstr("running"));
}

// As an operator does it: a line in the file, and a signal.
TEST_F(TokenCluster, TokensComeAndGoWithoutARestart) {
  add_worker();
  const std::vector<std::string> others{"submit:pen-secret", "admin:key-secret", "read-only:eye-secret"};
  const auto reload = [&](std::vector<std::string> more, const std::string& logged) {
    more.insert(more.end(), others.begin(), others.end());
    write_tokens(more);
    cluster_.master().signal(SIGHUP);
    EXPECT_TRUE(eventually([&] { return master_log().find(logged) != std::string::npos; })) << master_log();
  };
  reload({"worker:hand-secret", "submit:alice:alices-secret"}, "tokens_read tokens=5 connections_ended=0");
  const std::string job = submit("out", "alices-secret");
  EXPECT_THAT(ask({"jobs"}, "eye-secret").out, HasSubstr("alice"));

  reload({"worker:hand-secret", "submit:alice"}, "tokens_unchanged reason=");  // not what was meant: a bad file
  EXPECT_EQ(ask({"jobs"}, "alices-secret").status, 0);

  reload({"worker:new:new-secret"}, "tokens_read tokens=4 connections_ended=1");
  EXPECT_THAT(master_log(), HasSubstr("token_revoked"));
  EXPECT_THAT(ask({"jobs"}, "alices-secret").err, HasSubstr("token is not the master's"));
  EXPECT_TRUE(eventually([&] { return !cluster_.worker(0).is_running(); }));
  EXPECT_THAT(cluster_.worker(0).output().err, HasSubstr("token is not the master's"));
  add_worker("new-secret");
  EXPECT_THAT(ask({"job", job}, "eye-secret").out, HasSubstr("running"));
}

TEST_F(TokenCluster, JobsBelongToWhoSubmittedThem) {
  write_tokens({"submit:alice:alices-secret", "submit:bob:bobs-secret", "admin:key-secret", "worker:hand-secret",
                "read-only:eye-secret"});
  cluster_.restart_master();
  add_worker();
  const std::string job = submit("out", "alices-secret");
  const Finished refused = ask({"kill", job}, "bobs-secret");
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err, "ontime kill: " + job + " belongs to alice; killing it needs the role admin, but this connection has "
                                            "only: token of bob (submit).\n");
  cluster_.restart_master();  // the journal knows
  ASSERT_TRUE(eventually([&] { return ask({"nodes"}, "eye-secret").out.find(" live ") != std::string::npos; }));
  EXPECT_THAT(ask({"job", job}, "eye-secret").out, HasSubstr("owner:       alice\n"));
  const auto jobs = nlohmann::json::parse(ask({"jobs", "--json"}, "eye-secret").out);
  EXPECT_THAT(jobs.dump(), HasSubstr("\"owner\":\"alice\""));
  EXPECT_EQ(ask({"kill", job}, "eye-secret").status, 2);
  EXPECT_EQ(ask({"kill", job}, "alices-secret").status, 0);
  EXPECT_THAT(ask({"job", job}, "eye-secret").out, HasSubstr("killed by alice"));
  EXPECT_EQ(ask({"kill", submit("more", "bobs-secret")}, "key-secret").status, 0);
}

}  // namespace
}  // namespace ontime::test
