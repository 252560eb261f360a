// What is done to a cluster that speaks TLS while it works: certificates end in mid-session, another host takes the
// master's port, peers stop half-way through a handshake or begin a second one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <fstream>

#include "tests/support/sanitized.h"
#include "tests/system/loopback_socket.h"
#include "tests/system/tls_cluster.h"
#include "tests/system/tls_stranger.h"

namespace ontime::test {
namespace {

using testing::HasSubstr;

class TlsUnderAttack : public TlsCluster {
 protected:
  Arguments alice() { return as("alice", "submit:one"); }

  // A job whose only attempt has begun and ends when it is let go.
  void begin_job() {
    const std::string command = "touch " + (cluster_ / "begun") + "; while [ ! -e " + (cluster_ / "go") +
                                " ]; do sleep 0.05; done; grep -c '' | sed 's/^/lines\\t/'";
    const Finished submitted = ask({"submit", "exec", kNovel, "--output", cluster_ / "out", "--splits", "1", "--set",
                                    "command=" + command, "--set", "merge=sum"},
                                   alice());
    ASSERT_EQ(submitted.status, 0) << submitted.err;
    ASSERT_TRUE(eventually([&] { return is_there("begun"); }));
  }
  void expect_job_done_by_its_first_attempt() {
    touch("go");
    ASSERT_TRUE(eventually([&] { return is_there("out/_SUCCESS"); })) << ask({"job", "1"}, alice()).out;
    EXPECT_EQ(verified_answer(cluster_ / "out"), shell("printf 'lines\t'; grep -c '' " + kNovel).out);
    const auto job = nlohmann::json::parse(ask({"job", "1", "--json"}, alice()).out, nullptr, false);
    EXPECT_EQ(job["task_list"][0]["attempts"].size(), 1u) << job.dump(1);
  }
  bool is_there(const std::string& name) { return std::ifstream(cluster_ / name).good(); }
  void touch(const std::string& name) { std::ofstream(cluster_ / name) << ""; }
  bool is_live() { return ask({"nodes"}, alice()).out.find(" live ") != npos; }
  std::string worker_log() { return cluster_.worker(0).output().err; }
};

TEST_F(TlsUnderAttack, SessionsOutliveTheirCertificatesAndNewOnesAreRefused) {
  if (kIsSanitized) GTEST_SKIP() << "a sanitizer wants to be loaded before anything else";
  const std::string clock = cluster_ / "clock";
  cluster_.set_environment({{"LD_PRELOAD", ONTIME_TEST_SET_CLOCK}, {"ONTIME_TEST_CLOCK", clock}});
  start();
  begin_job();
  write_file(clock, std::to_string(2 * 365 * 24 * 3600));  // the certificates hold for less
  expect_refused(ask({"jobs"}, alice()), "our certificate has expired there");
  touch("go");
  ASSERT_TRUE(eventually([&] { return is_there("out/_SUCCESS"); })) << worker_log();
  write_file(clock, "0");
  expect_job_done_by_its_first_attempt();
}

TEST_F(TlsUnderAttack, AHostOfAnotherAuthorityAtTheMastersPortDelaysAndTakesNothing) {
  certs({"init"}, "other");
  certs({"node", "here", "--host", "127.0.0.1"}, "other");
  start();
  begin_job();
  cluster_.master().kill();
  Arguments impostor{kBin + "/ontime-master", "--listen", cluster_.address(), "--journal", cluster_ / "impostor"};
  const Arguments theirs = as("here", "", "other");
  impostor.insert(impostor.end(), theirs.begin(), theirs.end());
  Process at_the_port(impostor, cluster_ / "impostor-log");
  ASSERT_TRUE(eventually([&] { return worker_log().find("is not from our authority") != npos; })) << worker_log();
  expect_refused(ask({"jobs"}, alice()), "is not from our authority");
  at_the_port.kill();
  cluster_.start_master(as("here", ""));
  EXPECT_TRUE(eventually([&] { return is_live(); }));
  expect_job_done_by_its_first_attempt();
}

TEST_F(TlsUnderAttack, HalfAHandshakeHoldsNobodyUp) {
  start();
  std::deque<LoopbackSocket> halves;
  const std::string half("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11);  // of a longer first message
  for (int i = 0; i < 200; ++i) {
    halves.emplace_back(port());
    ASSERT_TRUE(halves.back().is_connected());
    ASSERT_GT(::send(halves.back().get(), half.data(), half.size(), MSG_NOSIGNAL), 0);
  }
  begin_job();
  expect_job_done_by_its_first_attempt();
  char byte = 0;  // those that were not closed meanwhile are still half open: nobody has answered them
  for (const LoopbackSocket& socket : halves) EXPECT_LE(::recv(socket.get(), &byte, 1, MSG_DONTWAIT), 0);
}

TEST_F(TlsUnderAttack, ASecondHandshakeEndsItsConnectionAndNoOther) {
  start();
  begin_job();
  const std::string mallory = cluster_ / "certs/looker";
  const std::string said =
      try_second_handshake(port(), {cluster_ / "certs/ca.pem", mallory + "/cert.pem", mallory + "/key.pem"});
  EXPECT_THAT(said, HasSubstr("alert"));
  expect_job_done_by_its_first_attempt();
}

// What is said meanwhile is cut off in the middle of records, and every new connection has to be believed again.
TEST_F(TlsUnderAttack, RandomKillsNeverChangeTheAnswer) {
  cluster_.set_client_flags(alice());
  cluster_.start_master(as("here", ""));
  for (int i = 0; i < 3; ++i) cluster_.add_worker(1, as("here", "worker:three"));
  kill_at_random(20);
}

}  // namespace
}  // namespace ontime::test
