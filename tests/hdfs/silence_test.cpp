// Servers that take what they are asked and say nothing.
#include <gtest/gtest.h>

#include <chrono>

#include "common/hdfs/file_system.h"
#include "tests/hdfs/fake_hdfs.h"
#include "tests/support/silent_server.h"

namespace ontime::hdfs {
namespace {

using test::FakeHdfs;

http::Patience of_an_hour() {
  http::Patience patience;
  patience.silence = patience.silence_max = std::chrono::hours(1);
  return patience;
}

TEST(SilentHdfs, IsLeftAsSoonAsNobodyWaitsAnyMore) {
  test::SilentServer server;
  const std::string root = "webhdfs://" + server.address();
  test::expect_given_up("find", server, 1, [&](const auto* is_over) {
    return FileSystem(root, "", is_over, of_an_hour()).find("a").has_value();
  });
  test::expect_given_up("write", server, 2, [&](const auto* is_over) {
    return FileSystem(root, "", is_over, of_an_hour()).write("a", http::content_of("x")).has_value();
  });
}

// A DataNode has taken all of a file and does not say so.
TEST(SilentDataNode, IsLeftAsSoonAsNobodyWaitsAnyMore) {
  FakeHdfs hdfs;
  test::SilentServer data_node;
  hdfs.set_fault([&](int, int node, const FakeHdfs::Request& request, FakeHdfs::Response& response) {
    if (node >= 0 || request.get_param_value("op") != "CREATE") return false;
    response.set_content(R"({"Location":"http://)" + data_node.address() + R"(/x"})", "application/json");
    return true;
  });
  test::expect_given_up("write", data_node, 1, [&](const auto* is_over) {
    return FileSystem(hdfs.root(), "", is_over, of_an_hour()).write("a", http::content_of("x")).has_value();
  });
}

}  // namespace
}  // namespace ontime::hdfs
