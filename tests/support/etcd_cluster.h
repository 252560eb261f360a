#pragma once
// Debian's etcd, one or more members on the loopback; and what is done to them.

#include <gtest/gtest.h>
#include <signal.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/free_port.h"
#include "tests/support/process.h"
#include "tests/support/temporary_directory.h"

namespace ontime::test {

inline constexpr const char* kNoEtcd =
    "There is no etcd with etcdctl; scripts/install-dependencies --tests installs Debian's etcd-server and "
    "etcd-client.";

class EtcdCluster {
 public:
  static bool is_there() { return shell("command -v etcd && command -v etcdctl").status == 0; }

  // `more`: flags of every member. With `tls` the flags of etcdctl that make it trusted.
  explicit EtcdCluster(std::size_t members, Arguments more = {}, Arguments tls = {})
      : more_(std::move(more)), tls_(std::move(tls)), members_(members) {
    for (Member& member : members_) {
      member.client = free_port();
      member.peer = free_port();
      const std::string name = name_of(member);
      all_ += (all_.empty() ? "" : ",") + name + "=http://127.0.0.1:" + member.peer;
    }
    for (std::size_t i = 0; i < members; ++i) start(i);
    for (std::size_t i = 0; i < members; ++i) await(i);
  }

  void start(std::size_t i) {
    Member& member = members_[i];
    const std::string clients = url(i), peers = "http://127.0.0.1:" + member.peer, name = name_of(member);
    Arguments all{"/usr/bin/env",
                  "etcd",
                  "--name",
                  name,
                  "--data-dir",
                  directory_ / name,
                  "--listen-client-urls",
                  clients,
                  "--advertise-client-urls",
                  clients,
                  "--listen-peer-urls",
                  peers,
                  "--initial-advertise-peer-urls",
                  peers,
                  "--initial-cluster",
                  all_,
                  "--logger",
                  "zap"};
    all.insert(all.end(), more_.begin(), more_.end());
    member.process = Process(all, directory_ / (name + "-log"));
  }
  // Until it answers with a quorum.
  void await(std::size_t i) {
    const bool is_up = eventually([&] { return control({"get", "nothing"}, i).status == 0; });
    EXPECT_TRUE(is_up) << members_[i].process.output().err;
  }
  void kill(std::size_t i) { members_[i].process.kill(); }
  void pause(std::size_t i) { members_[i].process.signal(SIGSTOP); }
  void go_on(std::size_t i) { members_[i].process.signal(SIGCONT); }
  bool is_running(std::size_t i) { return members_[i].process.is_running(); }
  std::size_t size() const { return members_.size(); }

  // Of etcdctl, by one member.
  Finished control(const Arguments& arguments, std::size_t by = 0) const {
    Arguments all{"/usr/bin/env", "etcdctl", "--endpoints", url(by), "--command-timeout", "20s"};
    all.insert(all.end(), tls_.begin(), tls_.end());
    all.insert(all.end(), arguments.begin(), arguments.end());
    return run(all, {{"ETCDCTL_API", "3"}});
  }

  // Compacts away whatever was before now.
  void forget_the_past() const {
    control({"put", "now", ""});  // what is compacted already cannot be compacted again
    const std::string status = control({"endpoint", "status", "--write-out", "json"}).out;
    const std::size_t at = status.find("\"revision\":") + 11;
    const std::string revision = status.substr(at, status.find_first_not_of("0123456789", at) - at);
    EXPECT_EQ(control({"compact", revision}).status, 0) << status;
  }

  std::string hosts() const {
    std::string all;
    for (const Member& member : members_) all += (all.empty() ? "127.0.0.1:" : ",127.0.0.1:") + member.client;
    return all;
  }
  std::string address(const std::string& prefix = "ontime") const { return "etcd://" + hosts() + "/" + prefix; }

 private:
  struct Member {
    std::string client;  // ports
    std::string peer;
    Process process;
  };
  static std::string name_of(const Member& member) { return "m" + member.peer; }
  std::string url(std::size_t i) const {
    return (tls_.empty() ? "http://127.0.0.1:" : "https://127.0.0.1:") + members_[i].client;
  }

  TemporaryDirectory directory_;
  const Arguments more_;
  const Arguments tls_;
  std::string all_;
  std::vector<Member> members_;
};

}  // namespace ontime::test
