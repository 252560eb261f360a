#pragma once
// Where tests of outputs play: a machine with a disk and one with a store, on both of which things go wrong.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "tests/machines/hdfs_store.h"
#include "tests/machines/object_store.h"
#include "tests/machines/small_cluster.h"

namespace ontime::lab::machines::test {

using Files = std::map<std::string, std::string>;

// A machine with a disk, which runs everything that the test does, and one with a store.
class Scene {
 public:
  // `scheme`: of the output's name.
  explicit Scene(const std::string& scheme, std::uint64_t seed = 1) : small_(seed) {
    if (scheme == "webhdfs") {
      auto hdfs = std::make_unique<HdfsStore>(small_.cluster, small_.one);
      name = hdfs->root() + "/out";
      store_ = std::move(hdfs);
    } else {
      store_ = std::make_unique<ObjectStore>(small_.cluster, small_.one);
      name = scheme == "s3" ? "s3://lab/out" : "/out";
    }
    store_->name_in_environment();
    store_->start();
    run([] { ASSERT_EQ(::mkdir("/tmp", 0777), 0); });
  }

  void run(std::function<void()> body) { small_.run(small_.other, std::move(body)); }
  void run_both(std::function<void()> one, std::function<void()> other) {
    const pid_t first = small_.start(small_.other, std::move(one));
    const pid_t second = small_.start(small_.other, std::move(other));
    while ((small_.is_alive(first) || small_.is_alive(second)) && small_.cluster.world.step()) {
    }
  }
  // It is killed when it does the n-th thing to the disk or asks the store for it. False: it did less.
  bool run_and_kill(int n, std::function<void()> body) {
    int left = n;
    const pid_t id = small_.start(small_.other, std::move(body));
    const auto count = [&] {
      check();
      if (--left == 0) small_.cluster.send_signal(id, SIGKILL);
    };
    small_.cluster.on_disk_work = [&](Process& process, const Disk&, DiskWork) {
      if (process.id() == id) count();
    };
    store_->on_request = [&](const HttpRequest&, std::uint32_t, HttpStore::Moment) { count(); };
    while (small_.is_alive(id) && small_.cluster.world.step()) {
    }
    small_.cluster.on_disk_work = nullptr;
    store_->on_request = [](const HttpRequest&, std::uint32_t, HttpStore::Moment) {};
    return left <= 0;
  }
  void cut_power() {
    small_.cluster.cut_power(small_.other);
    small_.cluster.restore_power(small_.other);
  }
  // What was asked of the store by a process that has died is done.
  void settle() { small_.pass(std::chrono::minutes(1)); }

  // What lies there, by the names below the output.
  Files files() const {
    Files all;
    for (const auto& [key, object] : store_->objects()) all.emplace(key.substr(key.find('/') + 1), object.bytes);
    if (const InodePointer directory = small_.other.disk->find("/out")) add(*directory, "", all);
    return all;
  }
  // For who sets the scene: a file or object at that name below the output.
  void put(const std::string& below, const std::string& bytes) {
    if (name == "/out")
      small_.other.disk->put("/out/" + below, bytes);
    else
      store_->put("out/" + below, bytes);
  }
  void take_away(const std::string& below) {
    if (name != "/out") return store_->take_away("out/" + below);
    const std::size_t slash = below.rfind('/');
    const auto directory = small_.other.disk->find("/out/" + below.substr(0, slash));
    EXPECT_EQ(small_.other.disk->remove(directory, below.substr(slash + 1), false), 0);
  }
  // The store takes so long for the first request that creates this object.
  void delay_creation(const std::string& object, Duration time) {
    store_->on_request = [=, this, is_first = true](const HttpRequest& request, std::uint32_t,
                                                    HttpStore::Moment moment) mutable {
      const bool is_it = request.method == "PUT" && request.path.ends_with("/" + object);
      if (!is_it || moment != HttpStore::Moment::Come || !std::exchange(is_first, false)) return;
      World::here()->sleep_until(small_.cluster.world.now() + time);
    };
  }
  // Called before each thing that run_and_kill() counts.
  std::function<void()> check = [] {};

  std::string name;  // of the output

 private:
  static void add(const Inode& directory, const std::string& prefix, Files& all) {
    for (const auto& [entry, inode] : directory.entries) {
      if (inode->is_directory())
        add(*inode, prefix + entry + "/", all);
      else
        all.emplace(prefix + entry, inode->bytes);
    }
  }

  SmallCluster small_;
  std::unique_ptr<HttpStore> store_;
};

}  // namespace ontime::lab::machines::test
