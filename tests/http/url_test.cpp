#include "common/http/url.h"

#include <gtest/gtest.h>

namespace ontime::http {
namespace {

TEST(UrlTest, HasWhomToConnectToAndWhatToAskFor) {
  const auto url = parse_url("https://data.example:8443/a/b.gz?part=1&x=%2F");
  ASSERT_TRUE(url) << url.error().message;
  EXPECT_EQ(url->origin, "https://data.example:8443");
  EXPECT_EQ(url->target, "/a/b.gz?part=1&x=%2F");
  EXPECT_EQ(url->path, "/a/b.gz");
  EXPECT_TRUE(parse_url("http://[::1]:80/x"));
  EXPECT_TRUE(parse_url("http://host/api/files/data%2Fa..b%2F.c/raw"));
  EXPECT_TRUE(parse_url("http://10.0.0.1/.hidden/..x/..."));
}

TEST(UrlTest, ThatCouldMeanSomethingElseIsRefusedWithASentence) {
  for (const char* text : {"",
                           "http://",
                           "ftp://host/x",
                           "/data/x",
                           "http://host",
                           "http://host/",
                           "http:///x",
                           "http://:80/x",
                           "http://host:0/x",
                           "http://host:70000/x",
                           "http://host:8x/y",
                           "http://[::1/x",
                           "http://user:secret@host/x",
                           "http://host/a b",
                           "http://host/a\nHost: other",
                           "http://host/x#part",
                           "http://host/a/../b",
                           "http://host/./b",
                           "http://host/%2e%2E/b",
                           "http://host/a/.%2e",
                           "http://host/a/..%2fb",
                           "http://host/a%2F..%2Fb",
                           "http://host/a/..%5Cb",
                           "http://host/a%5c%2E.",
                           "http://host/..\\b",
                           "http://[::1]x:80/y",
                           "http://host?x"}) {
    const auto url = parse_url(text);
    ASSERT_FALSE(url) << text;
    EXPECT_FALSE(url.error().message.empty());
    EXPECT_EQ(url.error().message.find("secret"), std::string::npos);
  }
}

// The library's own parser goes by recursion.
TEST(UrlTest, AHostHasABoundedLength) {
  EXPECT_TRUE(parse_url("http://" + std::string(kHostBytesMax, 'a') + ":80/x"));
  EXPECT_FALSE(parse_url("http://" + std::string(kHostBytesMax + 1, 'a') + "/x"));
  EXPECT_FALSE(parse_url("http://" + std::string(1 << 20, 'a') + "/x"));
}

TEST(UrlTest, AnOriginNamesAServer) {
  const auto expect = [](const char* origin, bool is_encrypted, const char* host, int port) {
    const Server server = server_of(origin);
    EXPECT_EQ(server.is_encrypted, is_encrypted) << origin;
    EXPECT_EQ(server.host, host);
    EXPECT_EQ(server.port, port);
  };
  expect("http://host", false, "host", 80);
  expect("https://host", true, "host", 443);
  expect("https://10.0.0.1:8443", true, "10.0.0.1", 8443);
  expect("http://[::1]", false, "::1", 80);
  expect("http://[::1]:8080", false, "::1", 8080);
}

}  // namespace
}  // namespace ontime::http
