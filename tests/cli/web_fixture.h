#pragma once
// The web server over real sockets, in front of a master that answers what the tests want.

#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "cli/web/web_server.h"
#include "tests/cli/fake_master.h"

namespace ontime::cli {

inline wire::JobSummary running_job() {
  wire::JobSummary job;
  job.set_job(7);
  job.set_state(wire::JobState::RUNNING);
  job.set_application("word<script>count");
  job.mutable_settings()->set_policy("shed+");
  job.set_tasks(2);
  job.mutable_settings()->set_deadline(10'000'000'000);
  return job;
}

inline std::optional<wire::Reply> answer_of_web_test(const wire::Request& request) {
  wire::Reply reply;
  if (request.has_list_nodes()) {
    auto& node = *reply.mutable_nodes()->add_nodes();
    node.set_name("worker-1");
    node.set_state("live");
    node.set_slots(4);
    node.set_busy(3);
    node.mutable_hold()->set_cause("slow");
    node.mutable_machine()->set_cores(2);
    node.mutable_machine()->set_busy_cores(1.5);
    node.mutable_machine()->set_memory_bytes(4096);
    node.mutable_machine()->set_used_bytes(1024);
    reply.mutable_nodes()->set_slots_wanted(12);
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
    for (int i = 0; i < 900; ++i) reply.mutable_job()->add_tasks()->set_state("running");
  } else if (request.has_describe_job() && request.describe_job().job() == 11) {
    const wire::Request::DescribeJob& wanted = request.describe_job();
    wire::Reply::Job& job = *reply.mutable_job();
    *job.mutable_summary() = running_job();
    job.mutable_summary()->set_job(11);
    job.mutable_summary()->set_tasks(1'000'000);
    job.mutable_summary()->mutable_forecast()->set_pocd(0.75);
    if (wanted.overview()) {
      job.mutable_overview()->set_tasks_in_place(2500);
      job.add_forecasts()->set_pocd(0.5);
    }
    for (std::uint32_t i = 0; wanted.tasks() && i < wanted.tasks_max(); ++i)
      job.add_tasks()->set_index(wanted.first_task() + i);
    if (wanted.tasks()) job.set_next_task(wanted.first_task() + wanted.tasks_max());
  } else if (request.has_read_logs() && request.read_logs().job() == 7) {
    auto& log = *reply.mutable_logs()->add_logs();
    log.set_task(1);
    log.set_node_name("worker-1");
    log.set_text("no <such> file\n");
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
  std::atomic<bool> lists_large_ = false;      // job 11 too
  std::atomic<bool> lists_forgotten_ = false;  // job 8, which the master knows nothing about
  std::atomic<std::int64_t> submitted_ = 0;    // when job 11 was
  std::atomic<int> costly_ = 0;                // about job 11, and such that the master looks at all its tasks
  FakeMaster master_{[this](const wire::Request& request) {
    ++requests_;
    const wire::Request::DescribeJob& wanted = request.describe_job();
    if (wanted.job() == 11 && (wanted.forecast() || wanted.account() || wanted.overview())) ++costly_;
    if (request.explain().job() == 11) ++costly_;
    auto reply = answer_of_web_test(request);
    if (reply->job().summary().job() == 11) reply->mutable_job()->mutable_summary()->set_submitted_unix_ns(submitted_);
    if (lists_forgotten_ && request.has_list_jobs()) {
      wire::JobSummary& forgotten = *reply->mutable_jobs()->add_jobs();
      forgotten = running_job();
      forgotten.set_job(8);
      forgotten.set_attempts_launched(1);
    }
    if (lists_large_ && request.has_list_jobs()) {
      wire::JobSummary& large = *reply->mutable_jobs()->add_jobs();
      large = running_job();
      large.set_job(11);
      large.set_tasks(1'000'000);
    }
    return reply;
  }};
  std::optional<ClusterView> view_;
  std::unique_ptr<WebServer> server_;
  int port_ = 0;
  std::optional<httplib::Client> client_;
  std::thread thread_;
};

}  // namespace ontime::cli
