// The web server over real sockets, in front of a master that answers what the test says.
#include "cli/web/web_server.h"

#include <gtest/gtest.h>
#include <httplib.h>

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/read.hpp>
#include <asio/write.hpp>
#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/cli/web_fixture.h"
#include "tests/support/process.h"

namespace ontime::cli {
namespace {

TEST_F(WebTest, ServesThePageWithAStrictPolicy) {
  serve();
  for (const char* path :
       {"/", "/dom.js", "/charts.js", "/timeline.js", "/overview.js", "/tables.js", "/page.js", "/page.css"}) {
    const auto response = get(path);
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, 200) << path;
    EXPECT_GT(response->body.size(), 100u) << path;
    EXPECT_NE(response->get_header_value("Content-Security-Policy").find("default-src 'none'"), std::string::npos);
    EXPECT_EQ(response->get_header_value("X-Content-Type-Options"), "nosniff");
  }
  EXPECT_EQ(get("/nothing")->status, 404);
}

TEST_F(WebTest, SharesItsPortWithNobody) {
  serve();
  WebSettings settings;
  settings.listen.port = static_cast<std::uint16_t>(port_);
  const auto second = WebServer::make(settings, *view_);
  ASSERT_TRUE(second) << second.error().message;
  const auto bound = (*second)->bind();
  ASSERT_FALSE(bound);
  EXPECT_NE(bound.error().message.find("is another program there?"), std::string::npos) << bound.error().message;
}

TEST_F(WebTest, TellsWhatTheCommandLineTells) {
  serve();
  const auto nodes = nlohmann::json::parse(get("/api/nodes")->body);
  EXPECT_EQ(nodes["nodes"][0]["busy"], 3);
  EXPECT_EQ(nodes["nodes"][0]["hold"]["cause"], "slow");
  const auto jobs = nlohmann::json::parse(get("/api/jobs")->body);
  EXPECT_EQ(jobs["jobs"][0]["job"], "job-7");
  EXPECT_EQ(jobs["jobs"][0]["forecast"]["pocd"], 0.25);
  const auto job = nlohmann::json::parse(get("/api/jobs/7")->body);
  EXPECT_EQ(job["application"], "word<script>count");
  EXPECT_EQ(job["task_list"].size(), 1u);
  EXPECT_EQ(job["explanation"]["decisions"].size(), 1u);
  EXPECT_EQ(get("/api/jobs/8")->status, 404);
  EXPECT_EQ(get("/api/jobs/../../etc/passwd")->status, 404);
  EXPECT_EQ(get("/api/jobs/job-99999999999")->status, 404);
}

TEST_F(WebTest, GivesReportTraceAndLogsAsFilesOfTheCommandLine) {
  serve();
  const auto report = get("/api/jobs/7/report");
  EXPECT_EQ(report->get_header_value("Content-Disposition"), "attachment; filename=\"job-7.html\"");
  EXPECT_NE(report->body.find("id=\"report\""), std::string::npos);
  const auto trace = get("/api/jobs/7/trace");
  EXPECT_EQ(trace->get_header_value("Content-Disposition"), "attachment; filename=\"job-7.trace.json\"");
  EXPECT_TRUE(nlohmann::json::parse(trace->body).contains("traceEvents"));
  const auto logs = get("/api/jobs/7/logs.txt");
  EXPECT_EQ(logs->get_header_value("Content-Type"), "text/plain; charset=utf-8");
  EXPECT_EQ(logs->body, "== t00001-a0 on worker-1\nno <such> file\n");
}

TEST_F(WebTest, NoFileIsMadeOfAJobThatIsTooLargeOrUnknown) {
  serve();
  const auto large = get("/api/jobs/11/trace");
  EXPECT_EQ(large->status, 404);
  EXPECT_NE(large->body.find("'ontime trace job-11' writes it"), std::string::npos) << large->body;
  EXPECT_EQ(large->get_header_value("Content-Disposition"), "");
  EXPECT_EQ(get("/api/jobs/11/report")->status, 200);  // as sums
  for (const char* file : {"report", "trace", "logs.txt"})
    EXPECT_EQ(get(std::string("/api/jobs/8/") + file)->status, 404) << file;
}

TEST_F(WebTest, PacksNothingForTheSameMachineAndNeverWithWhatIsSlow) {
  serve();
  const httplib::Headers anything{{"Accept-Encoding", "br, gzip, deflate"}};
  const auto large = get("/api/jobs/9", anything);
  EXPECT_EQ(large->get_header_value("Content-Encoding"), "") << "it is for the same machine";
  EXPECT_EQ(nlohmann::json::parse(large->body)["task_list"].size(), 900u);
  EXPECT_EQ(get("/healthz", anything)->get_header_value("Content-Encoding"), "");
  EXPECT_EQ(get("/api/jobs/9", {{"Accept-Encoding", "br"}})->get_header_value("Content-Encoding"), "");
}

TEST_F(WebTest, WhatARequestBringsAlongIsNotTakenForTheNextOne) {
  serve();
  asio::io_context io;
  asio::ip::tcp::socket socket(io);
  socket.connect({asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port_)});
  const std::string inner = "GET /api/nodes HTTP/1.1\r\nHost: localhost\r\n\r\n";
  asio::write(socket, asio::buffer("GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                                   std::to_string(inner.size()) + "\r\n\r\n" + inner));
  std::string answers;
  asio::error_code end;
  asio::read(socket, asio::dynamic_buffer(answers), end);
  EXPECT_EQ(answers.find("worker-1"), std::string::npos);
}

// httplib would hand out what it finds in memory behind a body.
TEST_F(WebTest, NobodyGetsAPartOfABodyOrWhatLiesBehindIt) {
  serve({.token = "sesame"});
  for (const char* range : {"bytes=1-2", "bytes=1-100000", "bytes=99999999-", "bytes=99999999999-99999999999999"}) {
    const auto health = get("/healthz", {{"Range", range}});
    ASSERT_TRUE(health) << range;
    EXPECT_EQ(health->status, 200);
    EXPECT_TRUE(health->body == get("/healthz")->body) << range;
    const auto refused = get("/api/jobs", {{"Range", range}});
    ASSERT_TRUE(refused) << range;
    EXPECT_EQ(refused->status, 401);
    EXPECT_TRUE(refused->body == get("/api/jobs")->body) << range;
  }
}

TEST_F(WebTest, AJobOfManyTasksIsAskedForAsSumsAndPageByPage) {
  serve();
  const auto job = nlohmann::json::parse(get("/api/jobs/11")->body);
  EXPECT_EQ(job["tasks"], 1'000'000);
  EXPECT_FALSE(job.contains("task_list"));
  EXPECT_EQ(job["overview"]["tasks_in_place"], 2500);
  EXPECT_EQ(job["forecasts"][0]["pocd"], 0.5);
  const auto tasks = nlohmann::json::parse(get("/api/jobs/11/tasks?first=70&max=3&state=running")->body);
  EXPECT_EQ(tasks["tasks"].size(), 3u);
  EXPECT_EQ(tasks["tasks"][0]["task"], 70);
  EXPECT_EQ(tasks["next"], 73);
  EXPECT_EQ(get("/api/jobs/11/tasks?first=nonsense")->status, 400);
  EXPECT_EQ(get("/api/jobs/11/tasks?max=501")->status, 400);
}

TEST_F(WebTest, WhatTakesTimeForEachTaskIsAskedForSeldom) {
  serve();
  lists_large_ = true;
  EXPECT_EQ(get("/api/jobs/11")->status, 200);
  EXPECT_EQ(costly_.load(), 3);
  const auto jobs = nlohmann::json::parse(get("/api/jobs")->body)["jobs"];
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[1]["forecast"]["pocd"], 0.75);
  EXPECT_EQ(costly_.load(), 3);
}

TEST_F(WebTest, AnotherJobOfThatNumberIsNotTakenForTheOneBefore) {
  serve();
  EXPECT_EQ(get("/api/jobs/11")->status, 200);
  submitted_ = 1;  // to a master with another journal
  EXPECT_TRUE(test::eventually([this] { return get("/api/jobs/11")->status == 200 && costly_ == 6; }));
}

TEST_F(WebTest, AJobThatIsForgottenMeanwhileIsLeftOut) {
  serve();
  lists_forgotten_ = true;
  const auto jobs = get("/api/jobs");
  ASSERT_EQ(jobs->status, 200);
  EXPECT_EQ(nlohmann::json::parse(jobs->body)["jobs"].size(), 2u);
  EXPECT_EQ(get("/api/use")->status, 200);
}

TEST_F(WebTest, ListsAreCutToWhatIsAskedFor) {
  serve();
  const auto jobs = nlohmann::json::parse(get("/api/jobs?max=1&search=word")->body);
  EXPECT_EQ(jobs["matching"], 1);
  EXPECT_EQ(nlohmann::json::parse(get("/api/jobs?search=nothing")->body)["jobs"].size(), 0u);
  EXPECT_EQ(nlohmann::json::parse(get("/api/nodes?state=live")->body)["busy"], 3);
  EXPECT_EQ(get("/api/nodes?sort=nonsense")->status, 400);
  EXPECT_EQ(nlohmann::json::parse(get("/api/use")->body)["jobs"].size(), 0u);  // none has begun
}

TEST_F(WebTest, ManyVisitorsAskTheMasterOnce) {
  serve();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(get("/api/jobs")->status, 200);
  // Three questions a picture; a slow machine may take a few.
  EXPECT_LT(requests_.load(), 100);
}

// Each sends the first bytes of a request without ever coming to its end.
class SlowVisitors {
 public:
  SlowVisitors(int count, int port) {
    const asio::ip::tcp::endpoint server(asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port));
    for (int i = 0; i < count; ++i) sockets_.emplace_back(io_).connect(server);
    send("GET /healthz HTTP/1.1\r\nX: ");
  }
  // How many are still let in.
  int send(const std::string& bytes) {
    int there = 0;
    for (auto& socket : sockets_) {
      asio::error_code error;
      asio::write(socket, asio::buffer(bytes), error);
      if (!error) ++there;
    }
    return there;
  }

 private:
  asio::io_context io_;
  std::vector<asio::ip::tcp::socket> sockets_;
};

TEST_F(WebTest, AHundredSlowVisitorsKeepNobodyWaiting) {
  serve();
  SlowVisitors visitors(100, port_);
  for (int second = 0; second < 7; ++second) {  // longer than one byte may take
    for (const char* path : {"/healthz", "/", "/api/jobs"}) {
      const auto response = get(path);
      ASSERT_TRUE(response) << path << " after " << second << " s: " << httplib::to_string(response.error());
      EXPECT_EQ(response->status, 200) << path;
    }
    std::this_thread::sleep_for(std::chrono::seconds(1));
    visitors.send("x");
  }
}

TEST_F(WebTest, AVisitorWhoseRequestHasNoEndIsSentAway) {
  serve();
  SlowVisitors visitors(1, port_);
  const std::string piece(64 << 10, 'x');
  int sent = 0;
  while (sent < 1000 && visitors.send(piece) > 0) ++sent;
  EXPECT_LT(sent, 1000) << "it keeps what it is sent";
}

TEST_F(WebTest, MoreSlowVisitorsThanThreadsArePushedOutByThoseWhoCome) {
  serve();
  SlowVisitors visitors(400, port_);
  client_->set_read_timeout(60, 0);
  for (int time = 0; time < 20; ++time) {
    const auto response = get("/healthz");
    ASSERT_TRUE(response) << httplib::to_string(response.error());
    EXPECT_EQ(response->status, 200);
    visitors.send("x");
  }
}

TEST_F(WebTest, ARequestThatNeverEndsIsEnded) {
  serve();
  SlowVisitors visitors(3, port_);
  const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (visitors.send("x") > 0) {
    ASSERT_LT(std::chrono::steady_clock::now(), until) << "a request may take ten seconds";
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

TEST_F(WebTest, MetricsAreInPrometheusFormat) {
  serve();
  const std::string text = get("/metrics")->body;
  EXPECT_NE(text.find("# TYPE ontime_slots gauge"), std::string::npos) << text;
  EXPECT_NE(text.find("ontime_slots{state=\"busy\"} 3"), std::string::npos) << text;
  EXPECT_NE(text.find("ontime_slots_wanted 12\n"), std::string::npos) << text;
  EXPECT_NE(text.find("ontime_nodes_held_back{cause=\"slow\"} 1"), std::string::npos) << text;
  EXPECT_NE(text.find("ontime_nodes_held_back{cause=\"failing\"} 0"), std::string::npos) << text;
  const std::string of_node = "{id=\"node-0\",node=\"worker-1\"} ";
  EXPECT_NE(text.find("ontime_node_cores" + of_node + "2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("ontime_node_busy_cores" + of_node + "1.5\n"), std::string::npos) << text;
  EXPECT_NE(text.find("ontime_node_memory_bytes" + of_node + "4096\n"), std::string::npos) << text;
  EXPECT_NE(text.find("ontime_node_memory_used_bytes" + of_node + "1024\n"), std::string::npos) << text;
  EXPECT_NE(text.find("ontime_jobs{state=\"running\"} 1"), std::string::npos) << text;
  EXPECT_NE(text.find("ontime_job_pocd{job=\"job-7\",policy=\"shed+\"} 0.25"), std::string::npos) << text;
  EXPECT_NE(text.find("ontime_journal_write_seconds_bucket{le=\"0.001\"} 5"), std::string::npos) << text;
  EXPECT_NE(text.find("ontime_journal_write_seconds_count 7"), std::string::npos) << text;
  EXPECT_NE(text.find("ontime_turned_away_total{why=\"forbidden\"} 4"), std::string::npos) << text;
  EXPECT_EQ(get("/readyz")->body, "ready: 1 live workers\n");
}

TEST_F(WebTest, RefusesWhatDoesNotComeFromItsOwnPage) {
  serve();
  EXPECT_EQ(get("/", {{"Host", "evil.example"}})->status, 421);
  EXPECT_EQ(get("/api/jobs", {{"Origin", "http://evil.example"}})->status, 403);
  EXPECT_EQ(client_->Post("/api/jobs", "x", "text/plain")->status, 405);
  EXPECT_EQ(client_->Delete("/api/jobs/7")->status, 405);
  EXPECT_EQ(requests_.load(), 0);
}

TEST_F(WebTest, WantsTheTokenOfVisitorsWhereThereIsOne) {
  WebSettings settings;
  settings.token = "sesame";
  serve(settings);
  EXPECT_EQ(get("/api/jobs")->status, 401);
  EXPECT_EQ(get("/", {{"Authorization", "Bearer nonsense"}})->status, 401);
  EXPECT_EQ(requests_.load(), 0);
  EXPECT_EQ(get("/api/jobs", {{"Authorization", "Bearer sesame"}})->status, 200);
  EXPECT_EQ(get("/healthz")->status, 200);
}

TEST(Web, WithoutAMasterItIsAliveButNotReady) {
  ClusterView view(
      MasterClient::Options{net::Endpoint{"127.0.0.1", 1}, "", nullptr, std::chrono::milliseconds(200), nullptr});
  const auto made = WebServer::make({.listen = {"127.0.0.1", 0}}, view);
  ASSERT_TRUE(made) << made.error().message;
  WebServer& server = **made;
  const auto port = server.bind();
  ASSERT_TRUE(port);
  std::thread thread([&] { server.run(); });
  httplib::Client client("127.0.0.1", *port);
  EXPECT_EQ(client.Get("/healthz")->status, 200);
  EXPECT_EQ(client.Get("/readyz")->status, 503);
  EXPECT_EQ(client.Get("/api/jobs")->status, 503);
  const auto metrics = client.Get("/metrics");
  EXPECT_EQ(metrics->status, 200);
  EXPECT_NE(metrics->body.find("ontime_up 0"), std::string::npos);
  server.stop();
  thread.join();
}

// A master that takes connections and never answers: visitors that ask for its state wait, and nobody else.
TEST(Web, WhereManyWaitForTheMasterItIsStillAlive) {
  asio::io_context io;
  const asio::ip::tcp::acceptor mute(io, {asio::ip::address_v4::loopback(), 0});
  ClusterView view(MasterClient::Options{net::Endpoint{"127.0.0.1", mute.local_endpoint().port()}, "", nullptr,
                                         std::chrono::seconds(3), nullptr});
  const auto made = WebServer::make({.listen = {"127.0.0.1", 0}}, view);
  ASSERT_TRUE(made) << made.error().message;
  WebServer& server = **made;
  const auto port = server.bind();
  ASSERT_TRUE(port);
  std::thread thread([&] { server.run(); });
  std::atomic<int> refused = 0;
  std::vector<std::thread> askers;
  for (int i = 0; i < 100; ++i) {
    askers.emplace_back([&] {
      httplib::Client asker("127.0.0.1", *port);
      asker.set_read_timeout(60, 0);
      const auto response = asker.Get("/readyz");
      if (response && response->status == 503) ++refused;
    });
  }
  while (refused < 36) std::this_thread::yield();  // the others wait for the master
  httplib::Client client("127.0.0.1", *port);
  const auto response = client.Get("/healthz");
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 200);
  EXPECT_LT(refused.load(), 100) << "nobody waited for the master";
  server.stop();
  for (std::thread& asker : askers) asker.join();
  thread.join();
}

TEST(Web, ListensBeyondTheLoopbackOnlyIfItIsTold) {
  ClusterView view(MasterClient::Options{});
  const auto refused = WebServer::make({.listen = {"0.0.0.0", 0}}, view);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("--insecure-network"), std::string::npos);
  EXPECT_NE(refused.error().message.find("ontime certs node HOST"), std::string::npos);
}

}  // namespace
}  // namespace ontime::cli
