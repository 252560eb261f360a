#include "common/hdfs/lender.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdlib>
#include <mutex>
#include <optional>
#include <vector>

#include "common/base/descriptor.h"
#include "common/http/remote_file.h"
#include "tests/hdfs/fake_hdfs.h"
#include "tests/support/temporary_directory.h"

namespace ontime::hdfs {
namespace {

using test::FakeHdfs;

class LenderTest : public testing::Test {
 protected:
  void SetUp() override {
    test::write_file(directory_ / "token", "SECRET");
    ::setenv("ONTIME_HDFS_TOKEN_FILE", (directory_ / "token").c_str(), 1);
    ::setenv("ONTIME_WEBHDFS_URL", hdfs_.origin().c_str(), 1);
    hdfs_.put("/in/a b+%", "hello");
    hdfs_.put("/other", "other");
  }
  void TearDown() override {
    for (const char* name : {"ONTIME_HDFS_TOKEN_FILE", "ONTIME_WEBHDFS_URL"}) ::unsetenv(name);
  }

  static http::Patience impatient_reader() {
    http::Patience patience;
    patience.pause = std::chrono::milliseconds(1);
    patience.tries = 2;
    return patience;
  }
  static http::RemoteFile file_at(const std::string& address) {
    return http::RemoteFile(*http::parse_url(address), nullptr, impatient_reader());
  }
  static Descriptor connected_to(const std::string& address) {
    sockaddr_in server{};
    server.sin_family = AF_INET;
    server.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
    server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    Descriptor connection(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(connection.get(), reinterpret_cast<const sockaddr*>(&server), sizeof server), 0);
    return connection;
  }
  // What an attempt reads from there, or how it is refused.
  static std::string read(const std::string& address, std::uint64_t offset, std::size_t size) {
    auto file = file_at(address);
    const auto state = file.look();
    if (!state) return state.error().message;
    std::string bytes(size, '\0');
    const auto got = file.read(*state, offset, size, bytes.data());
    return got ? bytes : got.error().message;
  }

  // What the last refusal was, in HDFS's words.
  std::string refused() {
    const std::lock_guard lock(mutex_);
    return refused_;
  }

  const test::TemporaryDirectory directory_;
  FakeHdfs hdfs_;
  std::mutex mutex_;
  std::string refused_;
  const Lender::OnRefused on_refused_ = [this](const std::string& name, const http::Failure& failure) {
    const std::lock_guard lock(mutex_);
    refused_ = name + ": " + failure.message;
  };
};

TEST_F(LenderTest, ReadsAFileForWhoHasNoToken) {
  Lender lender(on_refused_);
  const auto address = lender.lend(hdfs_.root() + "/in/a b+%");
  ASSERT_TRUE(address) << address.error().message;
  EXPECT_THAT(*address, testing::Not(testing::HasSubstr("SECRET")));
  EXPECT_EQ(read(*address, 0, 5), "hello");
  EXPECT_THAT(hdfs_.last_query(), testing::HasSubstr("delegation=SECRET"));
  EXPECT_EQ(read(*address, 1, 3), "ell");
}

TEST_F(LenderTest, LendsThatFileOnlyAndForSomeTime) {
  Lender lender(on_refused_);
  const std::string address = *lender.lend(hdfs_.root() + "/in/a b+%");
  const std::size_t name = address.find("/in/");
  const std::size_t path = address.find('/', 8);
  ASSERT_NE(name, address.npos);
  std::string signature = address;
  signature[path + 1] = signature[path + 1] == '0' ? '1' : '0';
  for (const std::string& forged :
       {address.substr(0, name) + "/other", address + "x", signature, address.substr(0, path) + "/x"}) {
    EXPECT_THAT(read(forged, 0, 5), testing::HasSubstr("403")) << forged;
  }
  Lender brief(on_refused_, std::chrono::seconds(-1));
  EXPECT_THAT(read(*brief.lend(hdfs_.root() + "/other"), 0, 5), testing::HasSubstr("403"));
}

TEST_F(LenderTest, ReadsWhatNoBufferOfItsOwnHolds) {
  std::string content;
  while (content.size() < 5'000'000) content += std::to_string(content.size()) + "\n";
  hdfs_.put("/large", content);
  Lender lender(on_refused_);
  const std::string address = *lender.lend(hdfs_.root() + "/large");
  EXPECT_TRUE(read(address, 0, content.size()) == content);
}

TEST_F(LenderTest, IsNotHeldUpByWhoConnectsAndSaysNothing) {
  Lender lender(on_refused_);
  const std::string address = *lender.lend(hdfs_.root() + "/other");
  std::vector<Descriptor> silent;
  for (int i = 0; i < 20; ++i) silent.push_back(connected_to(address));  // more than it has threads
  EXPECT_EQ(read(address, 0, 5), "other");
}

// Processes that can connect need no address for that.
TEST_F(LenderTest, GivesUpRequestsThatNeverEndOrAreTooLong) {
  Lender lender(on_refused_);
  const std::string address = *lender.lend(hdfs_.root() + "/other");
  std::vector<Descriptor> slow;
  for (int i = 0; i < 20; ++i) {  // more than it has threads
    slow.push_back(connected_to(address));
    EXPECT_EQ(::send(slow.back().get(), "GET /", 5, MSG_NOSIGNAL), 5);
  }
  const std::string line(1 << 20, 'a');
  const Descriptor endless = connected_to(address);
  std::size_t sent = 0;
  for (ssize_t more = 1; more > 0 && sent < 64 * line.size();
       sent += static_cast<std::size_t>(std::max<ssize_t>(more, 0)))
    more = ::send(endless.get(), line.data(), line.size(), MSG_NOSIGNAL);
  EXPECT_LT(sent, 64 * line.size()) << "it takes all of a line without an end";
  EXPECT_EQ(read(address, 0, 5), "other");
  for (const Descriptor& one : slow) {  // closed, whatever else they would have said
    char byte = 0;
    EXPECT_LE(::recv(one.get(), &byte, 1, 0), 0);
  }
}

TEST_F(LenderTest, SendsNothingFromBehindTheEnd) {
  Lender lender(on_refused_, std::chrono::minutes(15), impatient_reader());
  const std::string address = *lender.lend(hdfs_.root() + "/other");
  const std::size_t path = address.find('/', 8);
  httplib::Client client(address.substr(0, path));
  client.set_url_encode(false);
  for (const char* range : {"bytes=5-9", "bytes=700-799", "bytes=700-"}) {
    std::string bytes;
    static_cast<void>(
        client.Get(address.substr(path), httplib::Headers{{"Range", range}}, [&](const char* sent, std::size_t size) {
          bytes.append(sent, size);
          return true;
        }));
    EXPECT_EQ(bytes, "") << range;
    EXPECT_THAT(hdfs_.last_query(), testing::HasSubstr("op=GETFILESTATUS")) << "HDFS is not asked for such bytes";
  }
}

// HDFS says 403 to most of what goes wrong, which an attempt would not try again.
TEST_F(LenderTest, SaysWhatMayPass) {
  Lender lender(on_refused_, std::chrono::minutes(15), impatient_reader());
  const std::string address = *lender.lend(hdfs_.root() + "/other");
  const auto refusal = [&](const std::string& exception) {
    hdfs_.set_fault([=](int, int, const FakeHdfs::Request&, FakeHdfs::Response& response) {
      FakeHdfs::refuse(response, 403, exception, "user=nobody may not");
      return true;
    });
    return read(address, 0, 5);
  };
  EXPECT_THAT(refusal("StandbyException"), testing::HasSubstr("503"));
  EXPECT_THAT(refusal("AccessControlException"), testing::HasSubstr("403"));
  EXPECT_THAT(refused(), testing::StartsWith(hdfs_.root() + "/other: "));
  EXPECT_THAT(refused(), testing::HasSubstr("user=nobody may not"));
  hdfs_.set_fault(nullptr);
  EXPECT_EQ(read(address, 0, 5), "other");
}

TEST_F(LenderTest, SaysThatAFileIsAnotherOneOrGone) {
  Lender lender(on_refused_);
  hdfs_.put("/long", std::string(100'000, 'x'));
  const std::string address = *lender.lend(hdfs_.root() + "/long");
  auto file = file_at(address);
  const auto state = file.look();
  ASSERT_TRUE(state);
  hdfs_.put("/long", std::string(100'000, 'y'));
  std::string bytes(5, '\0');
  const auto got = file.read(*state, 50'000, 5, bytes.data());
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().trouble, http::Trouble::Changed);
  EXPECT_THAT(read(*lender.lend(hdfs_.root() + "/nothing"), 0, 5), testing::HasSubstr("404"));
}

}  // namespace
}  // namespace ontime::hdfs
