#include "common/net/endpoint.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace ontime::net {
namespace {

std::string endpoint_in(std::string_view text, std::uint16_t default_port = 0) {
  const auto endpoint = parse_endpoint(text, default_port);
  return endpoint ? endpoint->host + " " + std::to_string(endpoint->port) : "error";
}

TEST(Endpoints, AreParsedAsPeopleWriteThem) {
  EXPECT_EQ(endpoint_in("127.0.0.1:7400"), "127.0.0.1 7400");
  EXPECT_EQ(endpoint_in("localhost:0"), "localhost 0");
  EXPECT_EQ(endpoint_in("node-3.example:65535"), "node-3.example 65535");
  EXPECT_EQ(endpoint_in("[::1]:7400"), "::1 7400");
  EXPECT_EQ(endpoint_in("localhost", 7400), "localhost 7400");
  EXPECT_EQ(endpoint_in("[::1]", 7400), "::1 7400");
  EXPECT_EQ(endpoint_in("localhost:1", 7400), "localhost 1");
}

TEST(Endpoints, WrongOnesAreBadInputThatQuotesThem) {
  for (const char* text :
       {"", ":", ":7400", "host:", "host:x", "host:-1", "host:65536", "host:7400x", "host: 7400", "host", "::1",
        "::1:7400", "[::1", "[::1]", "[::1]7400", "[::1]:", "[]:1", "[localhost]:1", "a:b:c"}) {
    const auto endpoint = parse_endpoint(text, 0);
    ASSERT_FALSE(endpoint) << text;
    EXPECT_EQ(endpoint.error().kind, ErrorKind::BadInput);
    EXPECT_NE(endpoint.error().message.find("'" + std::string(text) + "'"), std::string::npos);
  }
}

TEST(Endpoints, PrintedOnesParseToThemselves) {
  EXPECT_TRUE(rc::check([] {
    const auto host = *rc::gen::element<std::string>("localhost", "127.0.0.1", "::1", "fe80::1", "a.b-c");
    const Endpoint endpoint{host, *rc::gen::arbitrary<std::uint16_t>()};
    const auto again = parse_endpoint(to_string(endpoint), 0);
    RC_ASSERT(again && again->host == endpoint.host && again->port == endpoint.port);
  }));
}

TEST(Endpoints, ArbitraryTextNeverDoesHarm) {
  EXPECT_TRUE(rc::check([](const std::string& text) { (void)parse_endpoint(text, 7400); }));
}

}  // namespace
}  // namespace ontime::net
