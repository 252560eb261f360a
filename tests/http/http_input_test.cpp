// An input of a web server, as attempts read it.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "tests/http/web_server.h"
#include "worker/data/input_source.h"
#include "worker/data/record_reader.h"

namespace ontime::worker {
namespace {

std::string lines(std::size_t bytes) {
  std::string text;
  for (std::size_t number = 0; text.size() < bytes; ++number) {
    text += "line " + std::to_string(number) + std::string(number % 97, '.') + "\n";
  }
  return text;
}

std::string read_all(RecordReader& reader, std::uint64_t end) {
  std::string text;
  for (;;) {
    auto block = reader.next(end);
    EXPECT_TRUE(block) << block.error().message;
    if (!block || block->records == 0) return text;
    text += block->batch.bytes;
  }
}

class HttpInputTest : public testing::Test {
 protected:
  HttpInputTest() : server_(lines(20'000'000)) {}
  InputFile file() const { return {server_.url("file.txt"), server_.content().size(), "\"1\"", Codec::Plain}; }
  test::WebServer server_;
};

TEST_F(HttpInputTest, IsReadFromAnyOffsetAsALocalFileIs) {
  const std::uint64_t size = server_.content().size();
  auto first = RecordReader::open(file(), {}, 0);
  ASSERT_TRUE(first) << first.error().message;
  const std::string begin = read_all(**first, size / 2);
  auto second = RecordReader::open(file(), {}, size / 2);
  ASSERT_TRUE(second);
  EXPECT_TRUE(begin + read_all(**second, size) == server_.content());
}

TEST_F(HttpInputTest, IsCutAtTheStartOfALine) {
  auto reader = RecordReader::open(file(), {}, 0);
  ASSERT_TRUE(reader);
  ASSERT_TRUE((*reader)->next(1'000'000));
  const auto at = (*reader)->align(15'000'000, server_.content().size());
  ASSERT_TRUE(at);
  EXPECT_GE(*at, 15'000'000u);
  EXPECT_EQ(server_.content()[*at - 1], '\n');
  const std::uint64_t from = (*reader)->position();
  EXPECT_TRUE(read_all(**reader, *at) == server_.content().substr(from, *at - from));
}

TEST_F(HttpInputTest, ThatChangesUnderWayIsAFaultOfTheInput) {
  auto reader = RecordReader::open(file(), {}, 0);
  ASSERT_TRUE(reader);
  ASSERT_TRUE((*reader)->next(1'000));
  server_.set_version("\"2\"");
  const auto same = (*reader)->check_unchanged();
  ASSERT_FALSE(same);
  EXPECT_EQ(same.error().kind, FaultKind::InputChanged);
  auto again = open_input(file());
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, FaultKind::InputChanged);
}

TEST_F(HttpInputTest, OfServersThatDoNotAgreeOnItsVersionIsNotCalledChanged) {
  server_.set_fault([&](int n, const httplib::Request&, httplib::Response&) {
    server_.set_version("\"of server " + std::to_string(n) + "\"");
    return false;
  });
  const auto input = open_input(file());
  ASSERT_TRUE(input) << input.error().message;  // the first one agrees
  const auto other = open_input(file());
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, FaultKind::Input);
  EXPECT_NE(other.error().message.find("another ETag with each answer"), std::string::npos) << other.error().message;
}

// As a store's signed addresses do: each is good for six requests.
TEST_F(HttpInputTest, OfAStoreIsReadOnWhenItsAddressExpires) {
  const InputFile object{"s3://books/file.txt", server_.content().size(), "\"1\"", Codec::Plain};
  int addresses = 0;
  InputAccess access;
  access.long_request_bytes = 2u << 20;
  access.address = [&] { return Outcome<std::string>(server_.url("file.txt?signed=" + std::to_string(++addresses))); };
  std::map<std::string, int> requests;
  std::mutex mutex;
  server_.set_fault([&](int, const httplib::Request& request, httplib::Response& response) {
    const std::lock_guard lock(mutex);
    if (++requests[request.target] <= 6) return false;
    response.status = 403;
    return true;
  });
  auto reader = RecordReader::open(object, {}, 0, RecordReader::kBlockBytes, access);
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_TRUE(read_all(**reader, object.size) == server_.content());
  EXPECT_GE(addresses, 2);
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE((*reader)->align(1'000'000, object.size));  // reads a few bytes, so the file is looked at once more
    EXPECT_TRUE((*reader)->check_unchanged());
  }
  EXPECT_GE(addresses, 3);
}

TEST_F(HttpInputTest, OfAStoreThatRefusesIsAFault) {
  const InputFile object{"s3://books/file.txt", server_.content().size(), "\"1\"", Codec::Plain};
  server_.set_fault([](int, const httplib::Request&, httplib::Response& response) {
    response.status = 403;
    return true;
  });
  InputAccess access;
  access.address = [&] { return Outcome<std::string>(server_.url()); };
  const auto opened = open_input(object, access);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("403"), std::string::npos) << opened.error().message;
  EXPECT_EQ(server_.requests(), 1);
}

TEST_F(HttpInputTest, OutsideOfTheRootsIsNotAskedFor) {
  const auto roots = files::Roots::make({"https://data.example/public"});
  ASSERT_TRUE(roots);
  const auto opened = open_input(file(), {*roots});
  ASSERT_FALSE(opened);
  EXPECT_EQ(server_.requests(), 0);
  EXPECT_TRUE(roots->hold("https://data.example/public/x"));
  EXPECT_FALSE(roots->hold("https://data.example/publicity"));
  EXPECT_FALSE(roots->hold("https://data.example.evil/public/x"));
}

}  // namespace
}  // namespace ontime::worker
