// What the client makes of answers, also of those that are none of etcd.
#include "master/journal/etcd_client.h"

#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "tests/support/free_port.h"

namespace ontime::journal {
namespace {

using Kind = EtcdError::Kind;

// Says the same to everybody.
class Member {
 public:
  Member(int status, const std::string& says, const std::string& lets_in = R"({"token":"t"})") {
    server_.Post("/v3/auth/authenticate",
                 [=](const httplib::Request&, httplib::Response& answer) { answer.set_content(lets_in, kJson); });
    server_.Post(".*", [=, this](const httplib::Request&, httplib::Response& answer) {
      ++asked;
      answer.status = status;
      answer.set_content(says, kJson);
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
  }
  ~Member() {
    server_.stop();
    thread_.join();
  }
  std::string origin() const { return "http://127.0.0.1:" + std::to_string(port_); }

  std::atomic<int> asked{0};

 private:
  static constexpr const char* kJson = "application/json";
  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
};

class EtcdClientTest : public testing::Test {
 protected:
  EtcdResult<EtcdAnswer> ask(const EtcdAccess& access) {
    return EtcdClient(access, std::chrono::seconds(10), &never_).transact({});
  }
  EtcdError error_from(const std::string& says, int status = 400) {
    const Member member(status, says);
    const auto answer = ask({{member.origin()}, "", "", {}});
    EXPECT_FALSE(answer);
    return answer ? EtcdError() : answer.error();
  }
  std::string nobody() const { return "http://127.0.0.1:" + test::free_port(); }

  const std::string fine_ = R"({"header":{"revision":"7"},"succeeded":true})";
  const std::atomic<bool> never_{false};
};

TEST_F(EtcdClientTest, ReadsWhatEveryReleaseSaysOfAnError) {
  for (const char* name : {"error", "message"}) {
    const std::string begin = std::string(R"({")") + name + R"(":"etcdserver: mvcc: database )";
    EXPECT_EQ(error_from(begin + R"(space exceeded","code":8,"details":[]})", 429).kind, Kind::NoSpace);
    EXPECT_EQ(error_from(begin + R"(is busy","code":14})", 503).message,
              "etcd says \"etcdserver: mvcc: database is busy\"");
  }
}

TEST_F(EtcdClientTest, RefusesAnswersThatAreNoneOfEtcd) {
  for (const char* says :
       {R"({"code":"x","error":1})", R"({"code":3,"error":1})", R"({"code":3,"message":[]})", "[]", ""})
    EXPECT_EQ(error_from(says).kind, Kind::Refused) << says;
  for (const char* says : {"[]", R"({"succeeded":1})", R"({"header":{"revision":7}})"})
    EXPECT_EQ(error_from(says, 200).kind, Kind::Refused) << says;
  const Member member(200, fine_, R"({"token":5})");
  const auto answer = ask({{member.origin()}, "me", "secret", {}});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "etcd gives no token to the user 'me'");
}

TEST_F(EtcdClientTest, RefusesAPasswordThatIsNoText) {
  const Member member(200, fine_);
  EXPECT_TRUE(ask({{member.origin()}, "me", "p\xc3\xa4ss", {}}));
  const auto answer = ask({{member.origin()}, "me", "p\xe4ss", {}});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, Kind::Refused);
  EXPECT_NE(answer.error().message.find("UTF-8"), std::string::npos) << answer.error().message;
}

// Such as one behind a proxy that lets nobody pass.
TEST_F(EtcdClientTest, AsksTheOthersWhenOneMemberRefuses) {
  const Member wrong(403, "go away"), right(200, fine_);
  const auto answer = ask({{wrong.origin(), right.origin()}, "", "", {}});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->revision, 7);
  const auto refused = ask({{wrong.origin(), wrong.origin()}, "", "", {}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, Kind::Refused);
  const auto may_pass = ask({{nobody(), wrong.origin()}, "", "", {}});
  ASSERT_FALSE(may_pass);
  EXPECT_EQ(may_pass.error().kind, Kind::Passing) << "the other one may come up";
}

TEST_F(EtcdClientTest, WhatEtcdItselfRefusesIsAskedOnce) {
  const Member etcd(403, R"({"error":"etcdserver: permission denied","code":7})");
  const auto answer = ask({{etcd.origin(), etcd.origin()}, "", "", {}});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, Kind::Refused);
  EXPECT_EQ(etcd.asked, 1);
}

}  // namespace
}  // namespace ontime::journal
