// Stores that answer late, or not as they should.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

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
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
    const std::map<std::string, std::string> variables{
        {"AWS_ENDPOINT_URL", endpoint()}, {"AWS_ACCESS_KEY_ID", "id"}, {"AWS_SECRET_ACCESS_KEY", "secret"}};
    access_ = std::make_unique<Access>([variables](const char* name) {
      const auto found = variables.find(name);
      return found == variables.end() ? std::string() : found->second;
    });
    return Bucket(*access_, "s3://books", nullptr, patience_);
  }

  std::string endpoint() const { return "http://127.0.0.1:" + std::to_string(port_); }

  http::Patience patience_;
  httplib::Server server_;

 private:
  int port_ = 0;
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

// Two writes of one key at once, for instance this client's own whose answer was late: neither says that there is one.
TEST_F(OddStore, IsAskedAgainWhereAnotherWriteOfTheKeyIsUnderWay) {
  std::atomic<int> asked = 0;
  server_.Put("/books.*", [&](const httplib::Request&, httplib::Response& response) {
    if (++asked > 1) return;
    response.status = 409;
    response.set_content("<Error><Code>ConditionalRequestConflict</Code></Error>", "text/xml");
  });
  Bucket bucket = this->bucket();
  const auto created = bucket.create("_SUCCESS", "mine");
  ASSERT_TRUE(created) << created.error().message;
  EXPECT_TRUE(*created);
  EXPECT_EQ(asked, 2);
}

TEST_F(OddStore, IsAskedAgainForACopyThatFailedAfterTheStoreHadBegunToAnswer) {
  std::atomic<int> asked = 0;
  server_.Put("/books.*", [&](const httplib::Request&, httplib::Response& response) {
    const bool fails = ++asked == 1;
    response.set_content(fails ? "<Error><Code>InternalError</Code></Error>" : "<CopyObjectResult/>", "text/xml");
  });
  Bucket bucket = this->bucket();
  const auto copied = bucket.put_in_place({"part", 1, ""}, "copy");
  EXPECT_TRUE(copied) << copied.error().message;
  EXPECT_EQ(asked, 2);
}

// A list in XML 1.0 has no other way to say them.
TEST_F(OddStore, NamesKeysThatXmlCannotCarry) {
  server_.Get("/books.*", [](const httplib::Request& request, httplib::Response& response) {
    const bool is_encoded = request.get_param_value("encoding-type") == "url";
    response.set_content(std::string("<ListBucketResult><IsTruncated>false</IsTruncated>") +
                             (is_encoded ? "<EncodingType>url</EncodingType><Contents><Key>in/a%0D%01%EF%BF%BE+b%2B"
                                         : "<Contents><Key>in/a\r\x01\xef\xbf\xbe b+") +
                             "</Key><Size>1</Size></Contents></ListBucketResult>",
                         "text/xml");
  });
  Bucket bucket = this->bucket();
  const auto page = bucket.list_page("in/");
  ASSERT_TRUE(page) << page.error().message;
  ASSERT_EQ(page->objects.size(), 1u);
  EXPECT_EQ(page->objects[0].key, "in/a\r\x01\xef\xbf\xbe b+");
}

// Some stores know no such option: what they send is the key itself.
TEST_F(OddStore, ThatEncodesNoKeysIsTakenAtItsWord) {
  server_.Get("/books.*", [](const httplib::Request&, httplib::Response& response) {
    response.set_content(
        "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>in/a%41+b</Key>"
        "<Size>1</Size></Contents></ListBucketResult>",
        "text/xml");
  });
  Bucket bucket = this->bucket();
  const auto page = bucket.list_page("in/");
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(page->objects.at(0).key, "in/a%41+b");
}

TEST_F(OddStore, IsNotAskedForARangeOfNothing) {
  Bucket bucket = this->bucket();
  const auto read = bucket.read_range({"part", 10, ""}, 5, 0);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, "");
}

// An answer to HEAD has no body.
TEST_F(OddStore, ThatRefusesSaysWhyToWhoLooksForAnObject) {
  std::string code;
  server_.Get("/books.*", [&code](const httplib::Request&, httplib::Response& response) {
    response.status = 400;
    response.set_content("<Error><Code>" + code + "</Code><Message>No.</Message></Error>", "text/xml");
  });
  Bucket bucket = this->bucket();
  const std::map<std::string, std::string> hints{{"SignatureDoesNotMatch", "AWS_SECRET_ACCESS_KEY"},
                                                 {"InvalidAccessKeyId", "AWS_ACCESS_KEY_ID"},
                                                 {"AuthorizationQueryParametersError", "AWS_REGION"},
                                                 {"ExpiredToken", "AWS_SESSION_TOKEN"}};
  for (const auto& [said, hint] : hints) {
    code = said;
    const auto found = bucket.find("a");
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().message,
              "the store at " + endpoint() + " answers " + code + ": No; give the right " + hint);
  }
  code = "AccessDenied";
  EXPECT_EQ(bucket.find("a").error().message, "the store at " + endpoint() + " answers AccessDenied: No");
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

// The reason is longer than the few bytes that were asked for.
TEST_F(OddStore, IsQuotedWhereItRefusesToReadAnObject) {
  server_.Get("/books.*", [](const httplib::Request& request, httplib::Response& response) {
    if (request.has_param("list-type")) {
      response.set_content("<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>", "text/xml");
      return;
    }
    const_cast<httplib::Request&>(request).ranges.clear();
    response.status = 403;
    if (request.method != "GET") return;
    response.set_content(
        "<Error><Code>InvalidObjectState</Code><Message>The operation is not valid for the object's "
        "storage class</Message></Error>",
        "text/xml");
  });
  Bucket bucket = this->bucket();
  const auto read = bucket.read_range({"in/a", 8, "\"1\""}, 0, 8);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, "InvalidObjectState");
  EXPECT_THAT(read.error().message, testing::HasSubstr("InvalidObjectState: The operation is not valid"));
  const auto found = bucket.find("in/a");  // by HEAD, which is answered without a reason
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, "InvalidObjectState");
}

TEST_F(OddStore, IsAskedInTheRegionOfTheBucketOnceThatIsKnown) {
  std::vector<std::string> regions;
  server_.Get("/books.*", [&](const httplib::Request& request, httplib::Response& response) {
    const std::string by = request.get_param_value("X-Amz-Credential");
    regions.push_back(by.find("/far-away-7/") != by.npos ? "right" : "wrong");
    if (regions.back() == "right") {
      response.set_content("<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>", "text/xml");
    } else {
      response.status = 301;
      response.set_header("x-amz-bucket-region", "far-away-7");
    }
  });
  Bucket bucket = this->bucket();
  EXPECT_TRUE(bucket.list_page("in/"));
  EXPECT_TRUE(bucket.list_page("in/"));
  EXPECT_EQ(regions, (std::vector<std::string>{"wrong", "right", "right"}));
}

TEST_F(OddStore, IsAskedInTheRegionThatItsRefusalNames) {
  std::string said = "far-away-7";
  int asked = 0;
  server_.Get("/books.*", [&](const httplib::Request& request, httplib::Response& response) {
    ++asked;
    if (request.get_param_value("X-Amz-Credential").find("/far-away-7/") != std::string::npos) {
      response.set_content("<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>", "text/xml");
      return;
    }
    response.status = 400;
    response.set_content("<Error><Code>AuthorizationQueryParametersError</Code><Region>" + said + "</Region></Error>",
                         "text/xml");
  });
  Bucket bucket = this->bucket();
  said = "evil.example/";
  EXPECT_FALSE(bucket.list_page("in/"));
  EXPECT_EQ(asked, 1);
  said = "far-away-7";
  EXPECT_TRUE(bucket.list_page("in/"));
}

}  // namespace
}  // namespace ontime::s3
