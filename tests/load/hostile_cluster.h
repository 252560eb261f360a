#pragma once
// What the hostile campaign attacks.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/process.h"
#include "tests/support/temporary_directory.h"

namespace ontime::load {

namespace fs = std::filesystem;

inline constexpr int kWorkers = 3;
inline constexpr std::uint32_t kUsersOfAWorker = 100;
inline const std::string kOntime = std::string(ONTIME_TEST_BIN) + "/ontime";

// A master with a token for each, and workers whose attempts can do as little as workers allow.
class Cluster {
 public:
  // Jobs run as users from `first_user` on, a hundred for each worker.
  explicit Cluster(std::uint32_t first_user) : first_user_(first_user) {
    fs::permissions(directory_.path(), fs::perms(0755));
    write_token("alice", "submit:alice:alice-secret-1f");
    write_token("mallory", "submit:mallory:mallory-secret-2e");
    write_token("reader", "read-only:reader:reader-secret-3d");
    write_token("worker", "worker:worker:worker-secret-4c");
    write_token("all", "submit:alice:alice-secret-1f\nsubmit:mallory:mallory-secret-2e\n"
                       "read-only:reader:reader-secret-3d\nworker:worker:worker-secret-4c\n");
    const std::string port_file = at("port");
    master_ = test::Process({std::string(ONTIME_TEST_BIN) + "/ontime-master", "--journal", at("journal"), "--listen",
                             "127.0.0.1:0", "--port-file", port_file, "--token-file", at("all"), "--owner-share", "0.5"},
                            at("master"));
    while (!fs::exists(port_file)) {
      if (!master_.is_running()) throw std::runtime_error("the master ended: " + master_.output().err);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    address_ = "127.0.0.1:" + std::to_string(std::stoul(test::read_file(port_file)));
    for (int i = 0; i < kWorkers; ++i) workers_.push_back(make_worker(i));
  }

  std::string at(const std::string& name) const { return directory_ / name; }
  const std::string& address() const { return address_; }
  test::Arguments client(const std::string& who, test::Arguments arguments) const {
    arguments.insert(arguments.begin(), kOntime);
    arguments.insert(arguments.end(), {"--master", address_, "--token-file", at(who)});
    return arguments;
  }
  // What has ended of itself; empty: all are there.
  std::string missing() {
    if (!master_.is_running()) return "the master ended: " + master_.output().err;
    for (test::Process& worker : workers_) {
      if (!worker.is_running()) return "a worker ended: " + worker.output().err;
    }
    return {};
  }

 private:
  void write_token(const std::string& name, const std::string& text) {
    test::write_file(at(name), text + "\n");
    fs::permissions(at(name), fs::perms(0600));
  }
  test::Process make_worker(int number) {
    test::Arguments arguments{std::string(ONTIME_TEST_BIN) + "/ontime-worker", "--master", address_, "--slots", "2",
                              "--token-file", at("worker"), "--attempt-memory", "512MiB", "--attempt-files", "64",
                              "--attempt-processes", "64", "--attempt-cpu", "60s"};
    const std::uint32_t first = first_user_ + kUsersOfAWorker * static_cast<std::uint32_t>(number);
    const std::string users = std::to_string(first) + "-" + std::to_string(first + kUsersOfAWorker - 1);
    if (::geteuid() == 0) arguments.insert(arguments.end(), {"--run-as", users});
    return {arguments, at("worker-" + std::to_string(number))};
  }

  const std::uint32_t first_user_;
  const test::TemporaryDirectory directory_;
  test::Process master_;
  std::string address_;
  std::vector<test::Process> workers_;
};

}  // namespace ontime::load
