#include "common/s3/signature.h"

#include <gtest/gtest.h>

namespace ontime::s3 {
namespace {

using std::chrono::sys_days;

// The example of "Authenticating Requests: Using Query Parameters" in Amazon's reference of S3's interface.
TEST(Signature, IsThatOfThePublishedExample) {
  const Endpoint endpoint{"https", "s3.amazonaws.com", "us-east-1", false};
  const Keys keys{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""};
  const auto day = sys_days{std::chrono::year{2013} / 5 / 24};
  const http::Url url =
      sign(endpoint, keys, {"GET", {"s3://examplebucket", "test.txt"}}, day, std::chrono::seconds(86400));
  EXPECT_EQ(url.origin, "https://examplebucket.s3.amazonaws.com");
  EXPECT_EQ(url.path, "/test.txt");
  EXPECT_EQ(url.target,
            "/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1"
            "%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
            "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
}

TEST(Signature, OfAnyNameIsInAnAddressThatCanBeSent) {
  const Endpoint endpoint{"http", "localhost:7070", "here", true};
  const http::Url url = address_of(endpoint, {"GET", {"s3://books", "a b/\xc3\xa9+?#%.txt"}});
  EXPECT_EQ(url.origin, "http://localhost:7070");
  EXPECT_EQ(url.target, "/books/a%20b/%C3%A9%2B%3F%23%25.txt");
}

}  // namespace
}  // namespace ontime::s3
