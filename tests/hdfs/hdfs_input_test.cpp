// An input of an HDFS, as attempts read it.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>

#include "common/hdfs/file_system.h"
#include "tests/hdfs/fake_hdfs.h"
#include "tests/http/web_server.h"
#include "worker/data/input_source.h"

namespace ontime::worker {
namespace {

// Each long request but one ends within a range, of which the next one brings the rest.
TEST(HdfsInput, OfSeveralLongRequestsHasTheBytesOfTheFile) {
  test::FakeHdfs hdfs;
  const std::string content = test::some_bytes(21'000'001);
  hdfs.put("/in/a", content);
  const auto address = hdfs::address_of(*hdfs::parse_name(hdfs.root() + "/in/a"));
  ASSERT_TRUE(address) << address.error().message;
  const auto state = hdfs::RemoteFile(*address).look();
  ASSERT_TRUE(state) << state.error().message;
  for (const std::uint64_t begin : {0, 1, 7'654'321}) {
    for (const std::uint64_t long_request : {1u << 20, 3u << 20, 128u << 20}) {
      std::atomic<int> requests = 0;
      hdfs.set_fault([&](int, int node, const test::FakeHdfs::Request& request, test::FakeHdfs::Response&) {
        if (node >= 0 && request.get_param_value("op") == "OPEN") ++requests;
        return false;
      });
      InputAccess access;
      access.address = [&] { return Outcome<std::string>(address->origin + address->target); };
      access.long_request_bytes = long_request;
      auto input = open_input({hdfs.root() + "/in/a", content.size(), state->version, Codec::Plain}, access);
      ASSERT_TRUE(input) << input.error().message;
      std::string bytes(content.size() - begin, '\0');
      for (std::size_t at = 0; at < bytes.size();) {
        const auto read = (*input)->read_at(&bytes[at], std::min<std::size_t>(100'000, bytes.size() - at), begin + at);
        ASSERT_TRUE(read && *read > 0) << read.error().message;
        at += *read;
      }
      EXPECT_TRUE(content.compare(begin, content.npos, bytes) == 0) << begin << " " << long_request;
      EXPECT_GE(requests, long_request <= 3u << 20 ? 4 : 2);
    }
  }
}

}  // namespace
}  // namespace ontime::worker
