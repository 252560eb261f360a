#pragma once
// A cluster whose connections are encrypted, with certificates that `ontime certs` has made.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "tests/system/paced_jobs.h"

namespace ontime::test {

class TlsCluster : public PacedJobs {
 protected:
  TlsCluster() {
    certs({"init"});
    certs({"node", "here", "--host", "127.0.0.1"});
    certs({"client", "alice"});
    certs({"client", "boss", "--role", "admin"});
    certs({"client", "looker", "--role", "read-only"});
    write_secret(tokens_, "submit:one\nadmin:two\nworker:three\nread-only:four\n");
    for (const char* line : {"submit:one", "admin:two", "worker:three", "read-only:four", "guess"}) {
      write_secret(token(line), line);
    }
  }

  void certs(Arguments arguments, const std::string& directory = "certs") {
    arguments.insert(arguments.begin(), "certs");
    arguments.insert(arguments.end(), {"--dir", cluster_ / directory});
    const Finished made = ontime(arguments);
    ASSERT_EQ(made.status, 0) << made.err;
  }

  std::string token(std::string line) {
    std::replace(line.begin(), line.end(), ':', '-');
    return cluster_ / line;
  }

  // The flags of somebody with that certificate and that token.
  Arguments as(const std::string& name, const std::string& line, const std::string& directory = "certs") {
    std::string at = cluster_ / directory;
    at += "/" + name;
    return {"--tls-ca",  at + "/ca.pem",  "--tls-cert",   at + "/cert.pem",
            "--tls-key", at + "/key.pem", "--token-file", line.empty() ? tokens_ : token(line)};
  }

  void start() {
    cluster_.start_master(as("here", ""));
    cluster_.add_worker(2, as("here", "worker:three"));
    ASSERT_TRUE(eventually([&] { return ask({"nodes"}, as("alice", "submit:one")).out.find(" live ") != npos; }));
  }

  Finished ask(Arguments arguments, const Arguments& credentials) {
    arguments.insert(arguments.end(), credentials.begin(), credentials.end());
    return cluster_.client(std::move(arguments));
  }

  Finished submit(const Arguments& credentials, const std::string& output) {
    return ask({"submit", "wordcount", kText, "--output", cluster_ / output, "--splits", "4", "--wait", "-q"},
               credentials);
  }

  // Status 2 and one sentence; nothing is there that was not there before.
  void expect_refused(const Finished& finished, const std::string& words) {
    EXPECT_NE(finished.status, 0);
    EXPECT_THAT(finished.err, testing::HasSubstr(words));
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
  }

  std::string port() const { return cluster_.address().substr(cluster_.address().find(':') + 1); }
  std::string master_log() { return cluster_.master().output().err; }

  static constexpr std::size_t npos = std::string::npos;
  const std::string tokens_ = cluster_ / "tokens";
};

}  // namespace ontime::test
