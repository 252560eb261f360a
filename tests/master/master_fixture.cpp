#include "tests/master/master_fixture.h"

#include <spdlog/spdlog.h>

#include <asio/co_spawn.hpp>
#include <filesystem>

#include "common/base/crc32c.h"
#include "common/net/handshake.h"
#include "common/net/sockets.h"

namespace ontime::test {
namespace {

constexpr Duration kPatience = std::chrono::seconds(60);  // only a hanging test waits that long

}  // namespace

void FakeWorker::enlist(const std::string& incarnation, std::uint32_t slots, const wire::ToMaster::Register& more) {
  wire::ToMaster message;
  *message.mutable_register_() = more;
  message.mutable_register_()->set_incarnation(incarnation);
  message.mutable_register_()->set_host("localhost");
  message.mutable_register_()->set_name("worker-" + incarnation);
  message.mutable_register_()->set_slots(slots);
  EXPECT_TRUE(send(message));
}

void FakeWorker::report(const wire::Report& report) {
  wire::ToMaster message;
  *message.mutable_reports()->add_reports() = report;
  EXPECT_TRUE(send(message));
}

asio::awaitable<bool> FakeWorker::receive() {
  const Result<std::string_view> payload = co_await connection_->receive();
  if (!payload) co_return false;
  wire::ToWorker message;
  EXPECT_TRUE(message.ParseFromArray(payload->data(), static_cast<int>(payload->size())));
  ++messages;
  if (message.has_welcome()) welcome_ = message.welcome();
  if (message.has_orders()) {
    acknowledged = message.orders().acknowledged();
    heartbeats = message.orders().heartbeats();
    orders_.insert(orders_.end(), message.orders().orders().begin(), message.orders().orders().end());
  }
  co_return true;
}

asio::awaitable<std::optional<wire::Order>> FakeWorker::next_order() {
  while (orders_.empty()) {
    const bool received = co_await receive();
    if (!received) co_return std::nullopt;
  }
  const wire::Order order = orders_.front();
  orders_.erase(orders_.begin());
  co_return order;
}

asio::awaitable<wire::Order::Launch> FakeWorker::next_launch() {
  for (;;) {
    const std::optional<wire::Order> order = co_await next_order();
    if (!order) {
      ADD_FAILURE() << "no launch arrived";
      co_return wire::Order::Launch();
    }
    if (order->has_launch()) co_return order->launch();
  }
}

asio::awaitable<std::optional<wire::ToWorker::Welcome>> FakeWorker::next_welcome() {
  while (!welcome_) {
    const bool received = co_await receive();
    if (!received) co_return std::nullopt;
  }
  const auto welcome = std::exchange(welcome_, std::nullopt);
  co_return welcome;
}

asio::awaitable<void> FakeWorker::until_acknowledged(std::uint64_t sequence) {
  while (acknowledged < sequence) {
    const bool received = co_await receive();
    if (!received) {
      ADD_FAILURE() << "the connection was closed before report " << sequence << " was acknowledged";
      co_return;
    }
  }
}

asio::awaitable<void> FakeWorker::until_heard(std::uint64_t count) {
  while (heartbeats < count) {
    const bool received = co_await receive();
    if (!received) {
      ADD_FAILURE() << "the connection was closed before heartbeat " << count << " was answered";
      co_return;
    }
  }
}

asio::awaitable<bool> FakeWorker::is_closed() {
  for (bool received = true; received;) received = co_await receive();
  co_return true;
}

MasterFixture::MasterFixture() {
  spdlog::set_level(spdlog::level::off);
  settings_.node_timeout = std::chrono::hours(1);
  write_file(input_, "one two\nthree\n");
  start_master();
}

MasterFixture::~MasterFixture() { stop_master(); }

void MasterFixture::start_master() {
  io_ = std::make_unique<asio::io_context>(1);
  auto socket = net::listen(io_->get_executor(), {"127.0.0.1", 0});
  ASSERT_TRUE(socket) << socket.error().message;
  auto made = master::Master::make(*io_, journal_, settings_, std::move(*socket),
                                   [](const Error& error) { ADD_FAILURE() << error.message; });
  ASSERT_TRUE(made) << made.error().message;
  master_ = std::move(*made);
  master_->start();
}

void MasterFixture::stop_master() {
  if (!master_) return;
  journal_.open();
  master_.reset();
  io_.reset();
}

void MasterFixture::play(const Script& script) {
  bool is_over = false;
  const auto finish = [&](std::exception_ptr exception) {
    EXPECT_EQ(exception, nullptr);
    is_over = true;
    io_->stop();
  };
  asio::co_spawn(*io_, script(), finish);
  io_->restart();
  io_->run_for(kPatience);
  ASSERT_TRUE(is_over) << "the script hangs";
}

asio::awaitable<std::shared_ptr<net::Connection>> MasterFixture::connect(wire::Role role, std::string token) {
  net::Endpoint endpoint;
  endpoint.host = "127.0.0.1";
  endpoint.port = master_->port();
  auto socket = co_await net::connect(endpoint, kPatience);
  EXPECT_TRUE(socket.has_value());
  auto connection = net::Connection::make(std::move(*socket));
  wire::Hello hello;
  hello.set_role(role);
  const auto reply = co_await net::say_hello(connection, hello, token, kPatience);
  if (!reply) co_return nullptr;
  EXPECT_EQ(reply->cluster(), journal_.cluster());
  co_return connection;
}

asio::awaitable<FakeWorker> MasterFixture::connect_worker() { co_return FakeWorker(co_await connect(wire::WORKER)); }

asio::awaitable<FakeWorker> MasterFixture::make_worker(std::string incarnation, std::uint32_t slots) {
  FakeWorker worker = co_await connect_worker();
  worker.enlist(incarnation, slots);
  const auto welcome = co_await worker.next_welcome();
  EXPECT_TRUE(welcome.has_value());
  co_return worker;
}

asio::awaitable<wire::Reply> MasterFixture::ask(wire::Request request) {
  const auto connection = co_await connect(wire::CLIENT);
  EXPECT_TRUE(connection->send(request));
  const auto payload = co_await connection->receive();
  EXPECT_TRUE(payload.has_value());
  wire::Reply reply;
  const bool parsed = payload && reply.ParseFromArray(payload->data(), static_cast<int>(payload->size()));
  EXPECT_TRUE(parsed);
  co_return reply;
}

wire::Request MasterFixture::submission() const {
  wire::Request request;
  wire::JobSpec* job = request.mutable_submit();
  job->set_application("wordcount");
  job->add_inputs(input_);
  job->set_output(output_);
  return request;
}

asio::awaitable<std::uint32_t> MasterFixture::submit_request(wire::Request request) {
  const wire::Reply reply = co_await ask(std::move(request));
  EXPECT_EQ(reply.error(), "");
  co_return reply.submitted().job();
}

asio::awaitable<std::uint32_t> MasterFixture::submit() { co_return co_await submit_request(submission()); }

asio::awaitable<wire::Reply::Job> MasterFixture::describe(std::uint32_t job, Duration wait) {
  wire::Request request;
  request.mutable_describe_job()->set_job(job);
  request.mutable_describe_job()->set_tasks(true);
  request.mutable_describe_job()->set_wait_ns(wait.count());
  const wire::Reply reply = co_await ask(request);
  EXPECT_EQ(reply.error(), "");
  co_return reply.job();
}

asio::awaitable<wire::JobSummary> MasterFixture::ended(std::uint32_t job) {
  for (;;) {
    const wire::Reply::Job description = co_await describe(job, kPatience);
    if (description.summary().ended_unix_ns() != 0) co_return description.summary();
  }
}

wire::Report MasterFixture::about(const wire::Attempt& attempt, std::uint64_t sequence) const {
  wire::Report report;
  report.set_sequence(sequence);
  *report.mutable_attempt() = attempt;
  return report;
}

wire::Report MasterFixture::seal(const wire::Order::Launch& launch, std::uint64_t sequence,
                                 const std::string& bytes) const {
  const AttemptId id{{JobId{launch.attempt().job()}, launch.attempt().task()}, launch.attempt().number()};
  const std::filesystem::directory_iterator claim(output_ + "/_attempts");  // the only one
  write_file(claim->path() / attempt_file_name(id), bytes);
  wire::Report report = about(launch.attempt(), sequence);
  *report.mutable_sealed()->mutable_range() = launch.range();
  report.mutable_sealed()->set_input_end(launch.range().end());
  report.mutable_sealed()->mutable_output()->set_length(bytes.size());
  report.mutable_sealed()->mutable_output()->set_records(2);
  report.mutable_sealed()->mutable_output()->set_crc32c(crc32c(bytes));
  return report;
}

}  // namespace ontime::test
