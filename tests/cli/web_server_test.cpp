// The web server over real sockets, in front of a master that answers what the test says.
#include "cli/web/web_server.h"

#include <gtest/gtest.h>
#include <httplib.h>

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/write.hpp>
#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "cli/certs/certificate_directory.h"
#include "tests/cli/fake_master.h"
#include "tests/support/temporary_directory.h"

namespace ontime::cli {
namespace {

wire::JobSummary running_job() {
  wire::JobSummary job;
  job.set_job(7);
  job.set_state(wire::JobState::RUNNING);
  job.set_application("word<script>count");
  job.set_policy("shed+");
  job.set_tasks(2);
  job.set_deadline_ns(10'000'000'000);
  return job;
}

std::optional<wire::Reply> answer(const wire::Request& request) {
  wire::Reply reply;
  if (request.has_list_nodes()) {
    auto& node = *reply.mutable_nodes()->add_nodes();
    node.set_name("worker-1");
    node.set_state("live");
    node.set_slots(4);
    node.set_busy(3);
    node.mutable_hold()->set_cause("slow");
    wire::Measures& measures = *reply.mutable_nodes()->mutable_measures();
    measures.mutable_journal()->add_bounds_ns(1'000'000);
    measures.mutable_journal()->add_counts(5);
    measures.mutable_journal()->add_counts(2);  // longer than a millisecond
    measures.mutable_journal()->set_sum_ns(8'000'000);
    measures.set_forbidden(4);
  } else if (request.has_list_jobs()) {
    *reply.mutable_jobs()->add_jobs() = running_job();
  } else if (request.has_describe_job() && request.describe_job().job() == 7) {
    auto& summary = *reply.mutable_job()->mutable_summary();
    summary = running_job();
    summary.mutable_forecast()->set_pocd(0.25);
    if (request.describe_job().tasks()) reply.mutable_job()->add_tasks()->set_state("running");
  } else if (request.has_describe_job() && request.describe_job().job() == 9) {
    *reply.mutable_job()->mutable_summary() = running_job();
    for (int i = 0; i < 5000; ++i) reply.mutable_job()->add_tasks()->set_state("running");
  } else if (request.has_explain()) {
    reply.mutable_explained()->add_decisions()->set_text("nothing to explain");
  } else {
    reply.set_error("there is no such job");
    reply.set_bad_input(true);
  }
  return reply;
}

class WebTest : public testing::Test {
 protected:
  void serve(WebSettings settings = {}) {
    settings.listen.port = 0;
    view_.emplace(MasterClient::Options{master_.endpoint(), "", nullptr, std::chrono::seconds(10), nullptr});
    auto made = WebServer::make(std::move(settings), *view_);
    ASSERT_TRUE(made) << made.error().message;
    server_ = std::move(*made);
    const auto port = server_->bind();
    ASSERT_TRUE(port);
    port_ = *port;
    thread_ = std::thread([this] { server_->run(); });
    client_.emplace("127.0.0.1", *port);
  }
  void TearDown() override {
    if (!thread_.joinable()) return;
    // It answers before it can be stopped.
    client_->Get("/healthz");
    server_->stop();
    thread_.join();
  }
  httplib::Result get(const std::string& path, const httplib::Headers& headers = {}) {
    return client_->Get(path.c_str(), headers);
  }

  std::atomic<int> requests_ = 0;
  FakeMaster master_{[this](const wire::Request& request) {
    ++requests_;
    return answer(request);
  }};
  std::optional<ClusterView> view_;
  std::unique_ptr<WebServer> server_;
  int port_ = 0;
  std::optional<httplib::Client> client_;
  std::thread thread_;
};

TEST_F(WebTest, ServesThePageWithAStrictPolicy) {
  serve();
  for (const char* path : {"/", "/dom.js", "/timeline.js", "/page.js", "/page.css"}) {
    const auto response = get(path);
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, 200) << path;
    EXPECT_GT(response->body.size(), 100u) << path;
    EXPECT_NE(response->get_header_value("Content-Security-Policy").find("default-src 'none'"), std::string::npos);
    EXPECT_EQ(response->get_header_value("X-Content-Type-Options"), "nosniff");
  }
  EXPECT_EQ(get("/nothing")->status, 404);
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

TEST_F(WebTest, PacksWhatIsLargeAndNeverWithWhatIsSlow) {
  serve();
  const httplib::Headers anything{{"Accept-Encoding", "br, gzip, deflate"}};
  const auto large = get("/api/jobs/9", anything);
  EXPECT_EQ(large->get_header_value("Content-Encoding"), "gzip");
  EXPECT_EQ(nlohmann::json::parse(large->body)["task_list"].size(), 5000u);
  EXPECT_EQ(get("/healthz", anything)->get_header_value("Content-Encoding"), "");
  EXPECT_EQ(get("/api/jobs/9", {{"Accept-Encoding", "br"}})->get_header_value("Content-Encoding"), "");
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
  EXPECT_NE(text.find("ontime_nodes_held_back{cause=\"slow\"} 1"), std::string::npos) << text;
  EXPECT_NE(text.find("ontime_nodes_held_back{cause=\"failing\"} 0"), std::string::npos) << text;
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
  ClusterView view(MasterClient::Options{{"127.0.0.1", 1}, "", nullptr, std::chrono::milliseconds(200), nullptr});
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
  ClusterView view(MasterClient::Options{
      {"127.0.0.1", mute.local_endpoint().port()}, "", nullptr, std::chrono::seconds(3), nullptr});
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
  EXPECT_NE(refused.error().message.find("ontime certs node 0.0.0.0"), std::string::npos);
}

class HttpsTest : public WebTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(certs_.make_cluster({"127.0.0.1"}, std::chrono::hours(24), IfThere::Refuse));
    ASSERT_TRUE(others_.make_cluster({"127.0.0.1"}, std::chrono::hours(24), IfThere::Refuse));
  }
  void serve_https(const std::string& token) {
    const std::string directory = certs_.path() + "/master";
    serve({.token = token,
           .https = net::TlsFiles{directory + "/ca.pem", directory + "/cert.pem", directory + "/key.pem"}});
  }
  // The status, or 0 if there was no answer.
  int status_for(const CertificateDirectory* certs, const httplib::Headers& headers = {}) {
    const std::string directory = certs == nullptr ? "" : certs->path() + "/read-only";
    httplib::SSLClient client("127.0.0.1", port_, certs == nullptr ? "" : directory + "/cert.pem",
                              certs == nullptr ? "" : directory + "/key.pem");
    client.set_ca_cert_path((certs_.path() + "/ca.pem").c_str());
    const auto response = client.Get("/api/nodes", headers);
    return response ? response->status : 0;
  }
  void TearDown() override {
    while (status_for(&certs_) == 0 && thread_.joinable())
      std::this_thread::yield();  // it answers before it is stopped
    server_->stop();
    thread_.join();
  }

  test::TemporaryDirectory directory_;
  CertificateDirectory certs_{directory_ / "certs"};
  CertificateDirectory others_{directory_ / "others"};
};

TEST_F(HttpsTest, WithoutATokenVisitorsShowACertificateOfTheSameAuthority) {
  serve_https("");
  EXPECT_EQ(status_for(&certs_), 200);
  EXPECT_EQ(status_for(nullptr), 0);
  EXPECT_EQ(status_for(&others_), 0);
  EXPECT_FALSE(get("/healthz")) << "plain text is no answer";
}

TEST_F(HttpsTest, WithATokenEitherIsEnough) {
  serve_https("sesame");
  EXPECT_EQ(status_for(&certs_), 200);
  EXPECT_EQ(status_for(nullptr), 401);
  EXPECT_EQ(status_for(nullptr, {{"Authorization", "Bearer sesame"}}), 200);
  EXPECT_EQ(status_for(&others_, {{"Authorization", "Bearer sesame"}}), 0);
}

TEST_F(HttpsTest, ACertificateThatIsNoneIsRefusedAtTheStart) {
  serve_https("");
  const auto refused = WebServer::make({.https = net::TlsFiles{"none", "none", "none"}}, *view_);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("'none'"), std::string::npos) << refused.error().message;
}

}  // namespace
}  // namespace ontime::cli
