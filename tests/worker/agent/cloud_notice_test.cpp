#include "worker/agent/cloud_notice.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <future>
#include <mutex>
#include <string>
#include <utility>

#include "common/store/access.h"
#include "tests/support/answering.h"
#include "worker/agent/ending_notice.h"

namespace ontime::worker {
namespace {

// The metadata services of all three clouds, each as picky as the real one.
class Metadata {
 public:
  void say(const std::string& text) {
    const std::lock_guard lock(mutex_);
    said_ = text;
  }
  void forget_tokens() { ++token_; }
  std::string url() const { return server_.url(); }
  CloudNotice notice(Cloud cloud) const { return {cloud, url(), &ask}; }

  static http::Answer<std::string> ask(const http::Question& question) { return store::network().ask(question); }

 private:
  using Request = httplib::Request;
  using Response = httplib::Response;

  void answer(Response& response, bool is_well_asked) {
    const std::lock_guard lock(mutex_);
    response.status = !is_well_asked ? 401 : said_.empty() ? 404 : 200;
    response.set_content(said_, "text/plain");
  }
  void answer_aws(httplib::Server& server) {
    server.Put("/latest/api/token", [this](const Request& request, Response& response) {
      response.status = request.get_header_value("X-aws-ec2-metadata-token-ttl-seconds") == "21600" ? 200 : 400;
      response.set_content("token-" + std::to_string(token_), "text/plain");
    });
    server.Get("/latest/meta-data/spot/instance-action", [this](const Request& request, Response& response) {
      answer(response, request.get_header_value("X-aws-ec2-metadata-token") == "token-" + std::to_string(token_));
    });
  }
  void answer_others(httplib::Server& server) {
    server.Get("/computeMetadata/v1/instance/preempted", [this](const Request& request, Response& response) {
      answer(response, request.get_header_value("Metadata-Flavor") == "Google");
    });
    server.Get("/metadata/instance/compute/name", [](const Request& request, Response& response) {
      response.status = request.get_header_value("Metadata") == "true" ? 200 : 400;
      response.set_content("vm-7", "text/plain");
    });
    server.Get("/metadata/scheduledevents", [this](const Request& request, Response& response) {
      const bool has_version = request.get_param_value("api-version") == "2020-07-01";
      answer(response, has_version && request.get_header_value("Metadata") == "true");
    });
  }

  std::mutex mutex_;
  std::string said_;
  std::atomic<int> token_{1};
  const test::Answering server_{[this](httplib::Server& server) {
    answer_aws(server);
    answer_others(server);
  }};
};

std::string events(const std::string& type, const std::string& machine) {
  return R"({"DocumentIncarnation":1,"Events":[{"EventType":"Freeze","Resources":["vm-7"]},{"EventType":")" + type +
         R"(","Resources":["vm-6",")" + machine + R"("]}]})";
}

TEST(CloudNotice, OfAwsIsAnAnswerAtAll) {
  Metadata metadata;
  CloudNotice notice = metadata.notice(Cloud::Aws);
  EXPECT_FALSE(notice.is_given());
  metadata.say(R"({"action":"terminate","time":"2026-11-30T17:00:00Z"})");
  EXPECT_TRUE(notice.is_given());
}

TEST(CloudNotice, OfAwsIsFoundWithAFreshTokenWhereTheOldOneHasExpired) {
  Metadata metadata;
  CloudNotice notice = metadata.notice(Cloud::Aws);
  EXPECT_FALSE(notice.is_given());
  metadata.forget_tokens();
  metadata.say("{}");
  EXPECT_FALSE(notice.is_given());
  EXPECT_TRUE(notice.is_given());
}

TEST(CloudNotice, OfGcpIsTheWordTrue) {
  Metadata metadata;
  CloudNotice notice = metadata.notice(Cloud::Gcp);
  metadata.say("FALSE\n");
  EXPECT_FALSE(notice.is_given());
  metadata.say("TRUE\n");
  EXPECT_TRUE(notice.is_given());
}

TEST(CloudNotice, OfAzureIsAnEventThatTakesThisMachineAway) {
  Metadata metadata;
  CloudNotice notice = metadata.notice(Cloud::Azure);
  for (const std::string& text :
       {std::string(), std::string("{}"), std::string("no JSON"), std::string(R"({"Events":7})"),
        events("Preempt", "vm-70"), events("Reboot", "vm-7")}) {
    metadata.say(text);
    EXPECT_FALSE(notice.is_given()) << text;
  }
  for (const char* type : {"Preempt", "Terminate"}) {
    metadata.say(events(type, "vm-7"));
    EXPECT_TRUE(notice.is_given()) << type;
  }
}

TEST(CloudNotice, IsNotGivenWhereNobodyAnswers) {
  for (const Cloud cloud : {Cloud::Aws, Cloud::Azure, Cloud::Gcp})
    EXPECT_FALSE(CloudNotice(cloud, "http://127.0.0.1:1", &Metadata::ask).is_given());
}

TEST(CloudNotice, IsLookedForByTheNameOfItsCloud) {
  Metadata metadata;
  metadata.say("{}");
  ASSERT_EQ(::setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", metadata.url().c_str(), 1), 0);
  std::promise<void> given;
  EndingNotice notice("aws", [&] { given.set_value(); });
  given.get_future().wait();
  ::unsetenv("AWS_EC2_METADATA_SERVICE_ENDPOINT");
}

}  // namespace
}  // namespace ontime::worker
