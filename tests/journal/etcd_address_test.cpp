#include "master/journal/etcd_address.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ontime::journal {
namespace {

TEST(EtcdAddressTest, NamesHostsAPrefixAndAUser) {
  const auto address = parse_etcd_address("etcds://me:pa%40ss@a.example:1234,b,[::1],[fe80::2]:99/jobs/one/");
  ASSERT_TRUE(address) << address.error().message;
  EXPECT_EQ(address->hosts, (std::vector<std::string>{"a.example:1234", "b:2379", "[::1]:2379", "[fe80::2]:99"}));
  EXPECT_EQ(address->prefix, "jobs/one");
  EXPECT_EQ(address->user, "me");
  EXPECT_EQ(address->password, "pa@ss");
  EXPECT_TRUE(address->is_encrypted);
  EXPECT_EQ(address->text(), "etcds://a.example:1234,b:2379,[::1]:2379,[fe80::2]:99/jobs/one");
  EXPECT_FALSE(parse_etcd_address("etcd://a/b")->is_encrypted);
}

TEST(EtcdAddressTest, TakesAPasswordWithAnAtSign) {
  const auto address = parse_etcd_address("etcd://me:p@ss@a/b");
  ASSERT_TRUE(address) << address.error().message;
  EXPECT_EQ(address->password, "p@ss");
  EXPECT_EQ(address->hosts, std::vector<std::string>{"a:2379"});
}

TEST(EtcdAddressTest, RefusesWhatIsNoneAndShowsNoPassword) {
  for (const std::string text : {"",
                                 "etcd:/a/b",
                                 "http://a/b",
                                 "etcd://",
                                 "etcd://a",
                                 "etcd://a/",
                                 "etcd:///b",
                                 "etcd://a,/b",
                                 "etcd://,a/b",
                                 "etcd://a:/b",
                                 "etcd://a:0/b",
                                 "etcd://a:65536/b",
                                 "etcd://a:x/b",
                                 "etcd://a b/c",
                                 "etcd://[::1/b",
                                 "etcd://a/b c",
                                 "etcd://a//b",
                                 "etcd://a/b?c",
                                 "etcd://:secret@a/b",
                                 "etcd://me:secret@a?/b",
                                 "etcd://me:se@cret@a?/b"}) {
    SCOPED_TRACE(text);
    const auto address = parse_etcd_address(text);
    ASSERT_FALSE(address);
    EXPECT_EQ(address.error().kind, ErrorKind::BadInput);
    EXPECT_EQ(address.error().message.find("cret"), std::string::npos) << address.error().message;
  }
}

}  // namespace
}  // namespace ontime::journal
