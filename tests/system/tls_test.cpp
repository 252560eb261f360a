// A cluster whose connections are encrypted, with certificates that `ontime certs` has made, and all who are not let
// in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "cli/certs/certificate_directory.h"
#include "tests/system/tls_cluster.h"
#include "tests/system/tls_stranger.h"

namespace ontime::test {
namespace {

using testing::HasSubstr;

TEST_F(TlsCluster, CountsWordsAsOneWithoutTls) {
  start();
  const Finished submitted = submit(as("alice", "submit:one"), "counts");
  EXPECT_EQ(submitted.status, 0) << submitted.err;
  EXPECT_EQ(verified_answer(cluster_ / "counts"), counted_by_coreutils(kText + "/*"));
  cluster_.restart_master();
  EXPECT_TRUE(eventually([&] { return ask({"nodes"}, as("looker", "read-only:four")).out.find(" live ") != npos; }));
}

TEST_F(TlsCluster, EachRoleMayDoWhatItMayAndNoMore) {
  start();
  const Finished running = ask({"submit", "exec", kText, "--output", cluster_ / "o", "--set", "command=sleep 60"},
                               as("alice", "submit:one"));
  ASSERT_EQ(running.status, 0) << running.err;
  EXPECT_THAT(ask({"job", "1"}, as("looker", "read-only:four")).out, HasSubstr("owner:       submit\n"));
  expect_refused(ask({"kill", "1"}, as("looker", "read-only:four")),
                 "job-1 belongs to submit; killing it needs the role admin");
  expect_refused(ask({"kill", "1"}, as("looker", "submit:one")), "certificate of looker (read-only)");
  expect_refused(ask({"kill", "1"}, as("alice", "admin:two")), "certificate of alice (submit)");
  expect_refused(ask({"drain", "node-1"}, as("boss", "submit:one")), "Draining a node needs the role admin");
  expect_refused(submit(as("looker", "read-only:four"), "p"), "Submitting a job needs the role submit or admin");
  expect_refused(submit(as("here", "worker:three"), "p"), "Submitting a job needs the role submit or admin");
  expect_refused(ask({"jobs"}, as("alice", "guess")), "token is not the master's");
  EXPECT_EQ(cluster_.job("1"), nlohmann::json());  // without any credentials
  EXPECT_THAT(ask({"jobs"}, as("looker", "read-only:four")).out, HasSubstr("running"));
  EXPECT_FALSE(std::filesystem::exists(cluster_ / "p"));
  EXPECT_EQ(ask({"kill", "1"}, as("boss", "admin:two")).status, 0);
  const Finished own = ask({"submit", "exec", kText, "--output", cluster_ / "q", "--set", "command=sleep 60"},
                           as("alice", "submit:one"));
  ASSERT_EQ(own.status, 0) << own.err;
  EXPECT_EQ(ask({"kill", "2"}, as("alice", "submit:one")).status, 0);
}

TEST_F(TlsCluster, StrangersAreToldWhyAndChangeNothing) {
  start();
  certs({"init"}, "other");
  certs({"client", "mallory", "--role", "admin"}, "other");
  const std::string before = ask({"jobs", "--json"}, as("alice", "submit:one")).out;
  expect_refused(ask({"jobs"}, as("mallory", "admin:two", "other")), "is not from our authority");
  expect_refused(ask({"jobs"}, {"--token-file", token("admin:two")}), "the master speaks TLS only; give --tls-ca");

  const std::string authority = cluster_ / "certs/ca.pem";
  const std::string theirs = cluster_ / "other/mallory";
  EXPECT_EQ(try_tls(port(), {authority, "", ""}), "tlsv13 alert certificate required");
  EXPECT_EQ(try_tls(port(), {authority, theirs + "/cert.pem", theirs + "/key.pem"}), "tlsv1 alert unknown ca");
  EXPECT_EQ(try_tls(port(), {authority, "", "", true}), "tlsv1 alert protocol version");
  cli::CertificateDirectory ours(cluster_ / "certs");
  const auto late = ours.issue({"late", "admin", {}, -std::chrono::hours(1)}, cli::IfThere::Refuse);
  ASSERT_TRUE(late) << late.error().message;
  EXPECT_EQ(try_tls(port(), {authority, *late + "/cert.pem", *late + "/key.pem"}), "sslv3 alert certificate expired");
  expect_refused(ask({"jobs"}, as("late", "admin:two")), "has expired; make another with 'ontime certs'");
  EXPECT_EQ(try_bytes(port(), "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").find("HTTP"), npos);
  try_bytes(port(), std::string("\x16\x03\x01\x00\x05hello", 10));
  try_bytes(port(), "");

  EXPECT_EQ(ask({"jobs", "--json"}, as("alice", "submit:one")).out, before);
  for (const char* words : {"shows no certificate", "is not from our authority", "speaks an older TLS than 1.3",
                            "has expired", "the master speaks TLS only"}) {
    EXPECT_TRUE(eventually([&] { return master_log().find(words) != std::string::npos; })) << master_log();
  }
}

TEST_F(TlsCluster, AWorkerThatIsNoneIsToldSoAndEnds) {
  cluster_.start_master(as("here", ""));
  const Arguments worker{kBin + "/ontime-worker", "--master", cluster_.address(), "--slots", "1"};
  const auto run_worker = [&](const Arguments& extra) {
    Arguments arguments = worker;
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    return run(arguments);
  };
  expect_refused(run_worker(as("boss", "worker:three")), "Registering as a worker needs the role worker");
  expect_refused(run_worker(as("here", "submit:one")), "Registering as a worker needs the role worker");
  expect_refused(run_worker({"--token-file", token("worker:three")}), "the master speaks TLS only");
  EXPECT_EQ(ask({"nodes", "--json"}, as("alice", "submit:one")).out.find("name"), npos);
}

TEST_F(TlsCluster, AMasterWithoutTlsTellsThoseWhoWantIt) {
  cluster_.start_master();
  expect_refused(ask({"jobs"}, as("alice", "submit:one")), "does not speak TLS");
  const auto is_logged = [&] { return master_log().find("speaks TLS and this master does not") != std::string::npos; };
  EXPECT_TRUE(eventually(is_logged)) << master_log();
}

TEST_F(TlsCluster, TheEnvironmentNamesADirectoryAndOntimeRunDoesNotMindIt) {
  start();
  std::string directory = cluster_ / "certs";
  directory += "/alice";
  const Environment environment{{"ONTIME_TLS_DIR", directory}, {"ONTIME_TOKEN", "one"}};
  EXPECT_EQ(run({kBin + "/ontime", "jobs", "--master", cluster_.address()}, environment).status, 0);
  const Finished counted = run(
      {kBin + "/ontime", "run", "wordcount", kText, "--output", cluster_ / "own", "--splits", "2", "-q"}, environment);
  EXPECT_EQ(counted.status, 0) << counted.err;
}

TEST_F(TlsCluster, OtherThanLoopbackAddressesNeedTlsAndAToken) {
  const auto start_master = [&](const Arguments& extra) {
    Arguments arguments{kBin + "/ontime-master", "--listen", "0.0.0.0:0", "--journal", cluster_ / "network"};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    return arguments;
  };
  Arguments without_token = as("here", "");
  without_token.resize(6);
  expect_refused(run(start_master({})), "'ontime certs init'");
  expect_refused(run(start_master({"--token-file", tokens_})), "'ontime certs init'");
  expect_refused(run(start_master(without_token)), "--token-file");
  Arguments whole = as("here", "");
  whole.insert(whole.end(), {"--port-file", cluster_ / "network-port"});
  Process master(start_master(whole), cluster_ / "network-master");
  EXPECT_TRUE(eventually([&] { return !read_file(cluster_ / "network-port").empty() || !master.is_running(); }));
  EXPECT_TRUE(master.is_running());
  EXPECT_EQ(master.output().err.find("insecure_network"), npos);
}

}  // namespace
}  // namespace ontime::test
