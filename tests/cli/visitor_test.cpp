#include "cli/web/visitor.h"

#include <gtest/gtest.h>

namespace ontime::cli {
namespace {

TEST(Visitor, TheHostIsWhatStandsBeforeThePort) {
  EXPECT_EQ(host_of("example.org:80"), "example.org");
  EXPECT_EQ(host_of("example.org"), "example.org");
  EXPECT_EQ(host_of("[::1]:7480"), "[::1]");
  EXPECT_EQ(host_of("[::1]"), "[::1]");
  EXPECT_EQ(host_of(""), "");
}

TEST(Visitor, OnlyKnownHostsAreServed) {
  EXPECT_TRUE(is_known_host("localhost:7480", {}));
  EXPECT_TRUE(is_known_host("LocalHost", {}));
  EXPECT_TRUE(is_known_host("127.0.0.1:1", {}));
  EXPECT_TRUE(is_known_host("[::1]:7480", {}));
  EXPECT_TRUE(is_known_host("web:7480", {"web"}));
  EXPECT_FALSE(is_known_host("", {"web"}));
  EXPECT_FALSE(is_known_host("localhost.example.org", {}));
  EXPECT_FALSE(is_known_host("example.org", {"web"}));
}

TEST(Visitor, ScriptsOfOtherPagesAreOfAnotherOrigin) {
  EXPECT_TRUE(is_same_origin("", "localhost:7480"));
  EXPECT_TRUE(is_same_origin("http://localhost:7480", "localhost:7480"));
  EXPECT_FALSE(is_same_origin("http://localhost:8080", "localhost:7480"));
  EXPECT_FALSE(is_same_origin("http://example.org", "localhost:7480"));
  EXPECT_FALSE(is_same_origin("null", "localhost:7480"));
}

TEST(Visitor, ShowsTheTokenAsBearerOrAsPassword) {
  EXPECT_TRUE(shows_token("Bearer secret", "secret"));
  EXPECT_TRUE(shows_token("Basic YW55Om9wZW4gc2VzYW1l", "open sesame"));  // any:open sesame
  EXPECT_TRUE(shows_token("basic OnNlY3JldA==", "secret"));               // :secret
}

TEST(Visitor, NothingElseIsTheToken) {
  for (const char* shown :
       {"", "secret", "Bearer", "Bearer ", "Bearer secre", "Bearer secrets", "Digest secret", "Basic", "Basic secret",
        "Basic c2VjcmV0", "Basic ====", "Basic !!!!", "Basic OnNlY3Jlc2E="}) {
    EXPECT_FALSE(shows_token(shown, "secret")) << shown;
  }
  EXPECT_FALSE(shows_token("Basic " + std::string(2000, 'A'), "secret"));
}

TEST(Visitor, WhatIsLargeIsPackedForVisitorsFromElsewhereThatTakeIt) {
  const auto encoding = [](const char* address, const char* takes, std::size_t bytes) {
    http::Asked asked{.address = address};
    asked.fields.emplace("Accept-Encoding", takes);
    return reply_with(asked, std::string(bytes, 'x'), "text/plain").fields["Content-Encoding"];
  };
  EXPECT_EQ(encoding("10.0.0.2", "br, gzip", 100'000), "gzip");
  EXPECT_EQ(encoding("10.0.0.2", "br", 100'000), "");
  EXPECT_EQ(encoding("10.0.0.2", "br, gzip", 100), "");
  EXPECT_EQ(encoding("127.0.0.1", "br, gzip", 100'000), "");
  EXPECT_EQ(encoding("::1", "br, gzip", 100'000), "");
}

}  // namespace
}  // namespace ontime::cli
