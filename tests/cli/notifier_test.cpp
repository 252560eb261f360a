// One notice as it leaves: to a web server that is in trouble at first, to a command, to one that hangs.
#include "cli/notify/notifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "cli/notify/notice.h"
#include "tests/support/temporary_directory.h"

namespace ontime::cli {
namespace {

using testing::Contains;
using testing::HasSubstr;
using namespace std::chrono_literals;

wire::NoticeToTell notice(const std::string& when = "pocd<0.5") {
  wire::NoticeToTell notice;
  notice.set_id("c1/job-7/2");
  notice.set_when(when);
  wire::JobSummary& job = *notice.mutable_job();
  job.set_job(7);
  job.set_state(wire::RUNNING);
  job.set_application("wordcount");
  job.mutable_settings()->set_name("nightly");
  job.mutable_settings()->set_deadline(Duration(60s).count());
  job.set_elapsed_ns(Duration(45s).count());
  job.mutable_forecast()->set_pocd(0.25);
  return notice;
}

// Answers the n-th POST, from 0, with the n-th status; the last one goes on.
class Listener {
 public:
  explicit Listener(std::vector<int> statuses) : statuses_(std::move(statuses)) {
    server_.Post("/hook", [this](const httplib::Request& request, httplib::Response& response) {
      response.status = statuses_.at(std::min(posts.size(), statuses_.size() - 1));
      posts.push_back(request);
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~Listener() {
    server_.stop();
    thread_.join();
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/hook"; }

  std::vector<httplib::Request> posts;  // looked at between requests

 private:
  const std::vector<int> statuses_;
  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
};

TEST(Notifier, PostsAgainWhileTheServerIsInTrouble) {
  Listener listener({503, 429, 204});
  wire::NoticeToTell told = notice();
  told.set_url(listener.url());
  told.set_secret("sesame");
  EXPECT_EQ(tell(told), "");
  ASSERT_EQ(listener.posts.size(), 3u);
  const httplib::Request& last = listener.posts.back();
  EXPECT_EQ(last.body, listener.posts.front().body);
  EXPECT_EQ(last.get_header_value("Content-Type"), "application/json");
  EXPECT_EQ(last.get_header_value("X-Ontime-Notice"), "c1/job-7/2");
  EXPECT_EQ(last.get_header_value("X-Ontime-Signature"), signature_of("sesame", last.body));
  const auto json = nlohmann::json::parse(last.body);
  EXPECT_EQ(json["notice"]["id"], "c1/job-7/2");
  EXPECT_EQ(json["job"], "job-7");
  EXPECT_EQ(json["forecast"]["pocd"], 0.25);
}

TEST(Notifier, PostsOnceWhereTheServerRefuses) {
  Listener listener({404});
  wire::NoticeToTell told = notice();
  told.set_url(listener.url());
  EXPECT_THAT(tell(told), HasSubstr("404"));
  EXPECT_EQ(listener.posts.size(), 1u);
  EXPECT_FALSE(listener.posts[0].has_header("X-Ontime-Signature"));
}

// RFC 4231, test case 2.
TEST(Notifier, SignsAsEverybodyDoes) {
  EXPECT_EQ(signature_of("Jefe", "what do ya want for nothing?"),
            "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(Notifier, GivesACommandTheJobAsJsonAndAsVariables) {
  const test::TemporaryDirectory directory;
  wire::NoticeToTell told = notice();
  setenv("ONTIME_TOKEN", "secret", 1);
  told.set_command("cat > " + directory / "json" + "; env > " + directory / "env");
  EXPECT_EQ(tell(told), "");
  unsetenv("ONTIME_TOKEN");
  EXPECT_EQ(test::read_file(directory / "json"), notice_json(told));
  const std::string variables = test::read_file(directory / "env");
  for (const std::string line : {"ONTIME_JOB=job-7", "ONTIME_STATE=running", "ONTIME_POCD=0.250000",
                                 "ONTIME_NAME=nightly", "ONTIME_WHEN=pocd<0.5", "ONTIME_NOTICE=c1/job-7/2", "PATH="})
    EXPECT_THAT(variables, HasSubstr(line));
  EXPECT_EQ(variables.find("secret"), std::string::npos);
}

TEST(Notifier, SaysHowACommandHasFailedAndKillsOneThatHangs) {
  const test::TemporaryDirectory directory;
  wire::NoticeToTell told = notice();
  told.set_command("exit 3");
  EXPECT_EQ(tell(told), "the command exited with code 3");
  told.set_command("sleep 1000 & echo $! > " + directory / "pid" + "; wait");
  EXPECT_THAT(tell(told, 300ms), HasSubstr("was killed"));
  const int left = std::stoi(test::read_file(directory / "pid"));
  while (kill(left, 0) == 0 &&
         test::read_file("/proc/" + std::to_string(left) + "/stat").find(") Z") == std::string::npos)
    std::this_thread::yield();
}

TEST(Notice, SaysInASentenceWhatHasHappened) {
  EXPECT_EQ(notice_sentence(notice()),
            "job-7 'nightly' will probably miss its deadline: PoCD 0.250; 1m 0s, 15.00 s left");
  wire::NoticeToTell stuck = notice("stuck");
  stuck.mutable_job()->set_waiting_for("workers");
  EXPECT_EQ(notice_sentence(stuck), "job-7 'nightly' is stuck: it waits for workers");
  wire::NoticeToTell failed = notice("failed");
  failed.mutable_job()->set_state(wire::FAILED);
  failed.mutable_job()->set_message("a\nb");
  EXPECT_EQ(notice_sentence(failed), "job-7 'nightly' failed after 45.00 s: a b");
  wire::NoticeToTell missed = notice("missed");
  missed.mutable_job()->set_state(wire::SUCCEEDED);
  missed.mutable_job()->set_elapsed_ns(Duration(70s).count());
  EXPECT_EQ(notice_sentence(missed), "job-7 'nightly' succeeded late: 1m 0s, missed by 10.00 s");
}

}  // namespace
}  // namespace ontime::cli
