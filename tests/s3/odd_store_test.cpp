// Stores that answer late, or not as they should.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <chrono>
#include <map>
#include <string>
#include <thread>

#include "common/s3/bucket.h"

namespace ontime::s3 {
namespace {

class OddStore : public testing::Test {
 protected:
  ~OddStore() override {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }
  // When the handlers are set.
  Bucket bucket() {
    const int port = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
    const std::map<std::string, std::string> variables{{"AWS_ENDPOINT_URL", "http://127.0.0.1:" + std::to_string(port)},
                                                       {"AWS_ACCESS_KEY_ID", "id"},
                                                       {"AWS_SECRET_ACCESS_KEY", "secret"}};
    access_ = std::make_unique<Access>([variables](const char* name) {
      const auto found = variables.find(name);
      return found == variables.end() ? std::string() : found->second;
    });
    return Bucket(*access_, "s3://books", nullptr, patience_);
  }

  http::Patience patience_;
  httplib::Server server_;

 private:
  std::thread thread_;
  std::unique_ptr<Access> access_;
};

// What is missing would be missing from the answer.
TEST_F(OddStore, ThatDoesNotSayHowItsListGoesOnIsNotTakenForOneThatHasNoMore) {
  std::string next;
  server_.Get("/books.*", [&next](const httplib::Request&, httplib::Response& response) {
    response.set_content("<ListBucketResult><IsTruncated>true</IsTruncated>" + next +
                             "<Contents><Key>in/a</Key><Size>1</Size></Contents></ListBucketResult>",
                         "text/xml");
  });
  Bucket bucket = this->bucket();
  const auto take_all = [](const http::Object&) { return true; };
  for (const char* said : {"", "<NextContinuationToken>again</NextContinuationToken>"}) {
    next = said;
    const auto listed = bucket.list("in/", take_all, {});
    ASSERT_FALSE(listed) << said;
    EXPECT_THAT(listed.error().message, testing::HasSubstr("goes on"));
  }
}

TEST_F(OddStore, MayTakeAsLongForACopyAsItsBytesNeed) {
  std::atomic<int> copies = 0;
  server_.Put("/books.*", [&](const httplib::Request&, httplib::Response& response) {
    ++copies;
    std::this_thread::sleep_for(std::chrono::milliseconds(600));  // longer than a small one may take
    response.set_content("<CopyObjectResult/>", "text/xml");
  });
  patience_.silence = patience_.silence_max = std::chrono::milliseconds(100);
  Bucket bucket = this->bucket();
  constexpr std::uint64_t kBytes = 500 << 20;
  const auto copied = bucket.put_in_place({"part", kBytes, ""}, "copy");
  EXPECT_TRUE(copied) << copied.error().message;
  EXPECT_EQ(copies, 1);
}

}  // namespace
}  // namespace ontime::s3
