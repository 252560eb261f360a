#pragma once
// An HDFS that no one here wrote: Hadoop's MiniDFSCluster. scripts/install-dependencies --tests fetches it where Java
// and Maven are; elsewhere the tests that need it are skipped.

#include <gtest/gtest.h>
#include <httplib.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "common/http/url.h"
#include "tests/support/process.h"
#include "tests/support/temporary_directory.h"

namespace ontime::test {

class MiniHdfs {
 public:
  static bool is_there() {
    return std::filesystem::exists(ONTIME_TEST_HDFS) && std::system("command -v java >/dev/null") == 0;
  }

  // Blocks are small, so that a book has many.
  explicit MiniHdfs(const Arguments& java = {"-Xmx400m", "-XX:TieredStopAtLevel=1", "-Ddfs.blocksize=262144"})
      : server_(command(java), directory_ / "java",
                {{"HADOOP_USER_NAME", user()}}) {  // who starts it may do everything
    EXPECT_TRUE(
        eventually([&] { return server_.output().out.find('\n') != std::string::npos || !server_.is_running(); }));
    port_ = server_.output().out.substr(0, server_.output().out.find('\n'));
    EXPECT_FALSE(port_.empty()) << server_.output().err;
  }

  std::string server() const { return "http://127.0.0.1:" + port_; }
  Environment environment() const { return {{"ONTIME_WEBHDFS_URL", server()}, {"HADOOP_USER_NAME", user()}}; }
  // Of a file: "/in/a.txt".
  std::string url(const std::string& path = "/") const { return "webhdfs://127.0.0.1:" + port_ + path; }
  static std::string hdfs_url(const std::string& path) { return "hdfs://namenode.example:8020" + path; }

  void put(const std::string& path, const std::string& content) const {
    const auto first = client_of(server()).Put(target(path, "CREATE&overwrite=true&noredirect=true"));
    ASSERT_TRUE(first && first->status == 200);
    std::string address;
    for (const char c : nlohmann::json::parse(first->body).at("Location").get<std::string>())
      address += c < 0 ? http::percent_encoded({&c, 1}) : std::string(1, c);
    const std::size_t end = address.find('/', address.find("//") + 2);
    const auto second = client_of(address.substr(0, end)).Put(address.substr(end), content, "application/octet-stream");
    ASSERT_TRUE(second && second->status == 201) << (second ? second->body : "");
  }
  // Files at that path and below.
  int files(const std::string& path) const {
    const auto answer = client_of(server()).Get(target(path, "GETCONTENTSUMMARY"));
    if (!answer || answer->status != 200) return 0;
    return nlohmann::json::parse(answer->body).at("ContentSummary").at("fileCount");
  }
  bool exists(const std::string& path) const {
    const auto answer = client_of(server()).Get(target(path, "GETFILESTATUS"));
    return answer && answer->status == 200;
  }
  void stop_a_data_node() {
    write_file(directory_ / "stop", "");
    EXPECT_TRUE(eventually([&] { return server_.output().out.find("stopped") != std::string::npos; }));
  }

 private:
  Arguments command(const Arguments& java) const {
    Arguments all{"java", "--add-opens=java.base/java.lang=ALL-UNNAMED", "-cp", ONTIME_TEST_HDFS "/*"};
    all.insert(all.end(), java.begin(), java.end());
    all.insert(all.end(), {ONTIME_TEST_MINI_HDFS, directory_ / "data", directory_ / "stop"});
    return all;
  }
  static std::string user() { return "ontime"; }
  // As patient as a busy machine needs: the first request to a server takes it seconds.
  static httplib::Client client_of(const std::string& origin) {
    constexpr time_t kSeconds = 120;
    httplib::Client client(origin);
    client.set_read_timeout(kSeconds);
    client.set_url_encode(false);
    return client;
  }
  static std::string target(const std::string& path, const std::string& op) {
    return "/webhdfs/v1" + http::percent_encoded(path, "/") + "?user.name=" + user() + "&op=" + op;
  }

  TemporaryDirectory directory_;
  Process server_;
  std::string port_;
};

}  // namespace ontime::test
