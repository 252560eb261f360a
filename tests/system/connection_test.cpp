// What lies between a worker and its master fails, without a word to either.
#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "tests/system/cluster.h"
#include "tests/system/middlebox.h"

namespace ontime::test {
namespace {

class ConnectionBetween : public testing::Test {
 protected:
  ConnectionBetween() {
    cluster_.start_master();
    middlebox_ = std::make_unique<Middlebox>(cluster_.address());
    worker_ = Process({kBin + "/ontime-worker", "--master", middlebox_->address(), "--slots", "1", "--app-dir", kApps},
                      cluster_ / "worker");
    EXPECT_TRUE(eventually([&] { return node_state() == "live"; }));
  }
  std::string node_state() const {
    const Finished listed = cluster_.client({"nodes", "--json"});
    if (listed.status != 0) return "";
    const nlohmann::json nodes = nlohmann::json::parse(listed.out)["nodes"];
    return nodes.empty() ? "" : nodes[0]["state"].get<std::string>();
  }

  Cluster cluster_;
  std::unique_ptr<Middlebox> middlebox_;
  Process worker_;
};

// The master gives the worker up and closes; the worker hears of neither.
TEST_F(ConnectionBetween, AWorkerLeavesAConnectionThatWasCutOnTheWay) {
  middlebox_->forget_connections();
  EXPECT_TRUE(eventually([&] { return node_state() == "lost"; }));
  const std::string job = cluster_.submit({"wordcount", kText, "--output", cluster_ / "out"});
  EXPECT_EQ(cluster_.wait(job), "succeeded");
  EXPECT_EQ(middlebox_->connections(), 2u);
}

}  // namespace
}  // namespace ontime::test
