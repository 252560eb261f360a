#pragma once
// A store that speaks S3 and that no one here wrote: versitygw, over a directory. scripts/install-dependencies --tests
// builds it where Go is; elsewhere the tests that need it are skipped.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/free_port.h"
#include "tests/support/process.h"
#include "tests/support/temporary_directory.h"

namespace ontime::test {

class ObjectStore {
 public:
  static bool is_there() { return std::filesystem::exists(ONTIME_TEST_VERSITYGW); }

  explicit ObjectStore(const std::string& bucket) : bucket_(bucket), port_(free_port()) {
    std::filesystem::create_directories(directory_ / "data/" + bucket);
    start();
  }
  void start() {
    server_ = Process({ONTIME_TEST_VERSITYGW, "--quiet", "--port", "127.0.0.1:" + port_, "--access", "AKIDTEST",
                       "--secret", "not+so/secret", "posix", directory_ / "data"},
                      directory_ / "versitygw");
    EXPECT_TRUE(eventually([&] { return answers(port_); })) << server_.output().err;
  }
  void stop() { server_.kill(); }

  std::string endpoint() const { return "http://127.0.0.1:" + port_; }
  Environment environment() const {
    return {{"AWS_ENDPOINT_URL", endpoint()},
            {"AWS_ACCESS_KEY_ID", "AKIDTEST"},
            {"AWS_SECRET_ACCESS_KEY", "not+so/secret"},
            {"AWS_REGION", "us-east-1"}};
  }
  // Objects are files here.
  std::string path(const std::string& key = "") const { return directory_ / "data/" + bucket_ + "/" + key; }
  std::string url(const std::string& key = "") const { return "s3://" + bucket_ + "/" + key; }

 private:
  TemporaryDirectory directory_;
  const std::string bucket_;
  const std::string port_;
  Process server_;
};

}  // namespace ontime::test
