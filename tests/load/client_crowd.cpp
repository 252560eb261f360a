#include "tests/load/client_crowd.h"

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <chrono>
#include <cstdio>
#include <utility>

#include "common/net/coroutine.h"
#include "common/net/handshake.h"
#include "common/protocol/frame.h"

namespace ontime::load {
namespace {

using Clock = std::chrono::steady_clock;
constexpr Duration kConnectMax = std::chrono::seconds(60);

}  // namespace

std::string describe(const Latencies& latencies) {
  char text[160];
  std::snprintf(text, sizeof text, "%zu answers, p50 %.1f ms, p99 %.1f ms, slowest %.1f ms", latencies.count(),
                latencies.quantile_ms(0.5), latencies.quantile_ms(0.99), latencies.quantile_ms(1));
  return text;
}

ClientCrowd::ClientCrowd(net::Endpoint master, std::uint32_t clients, wire::Request question, Check check,
                         Failures& failures)
    : master_(std::move(master)),
      question_(std::move(question)),
      check_(std::move(check)),
      failures_(failures),
      connections_(clients) {}

ClientCrowd::~ClientCrowd() { thread_.stop(); }

void ClientCrowd::for_all(const Work& work) {
  const auto left = std::make_shared<std::size_t>(connections_.size());
  const auto done = std::make_shared<std::promise<void>>();
  if (connections_.empty()) return;
  thread_.run([&] {
    for (std::size_t client = 0; client < connections_.size(); ++client) {
      asio::co_spawn(thread_.io(), do_one(work, client, left, done), net::AbortOnException{"client_crowd"});
    }
  });
  done->get_future().wait();
}

asio::awaitable<void> ClientCrowd::do_one(Work work, std::size_t client, std::shared_ptr<std::size_t> left,
                                          std::shared_ptr<std::promise<void>> done) {
  co_await work(client);
  if (--*left == 0) done->set_value();
}

void ClientCrowd::connect() {
  for_all([this](std::size_t client) { return open(client); });
}

asio::awaitable<void> ClientCrowd::open(std::size_t client) {
  auto opened = co_await net::open_connection(master_, nullptr, kConnectMax);
  if (!opened) {
    failures_.add("a client found no master: " + opened.error().message);
    co_return;
  }
  wire::Hello hello;
  hello.set_role(wire::CLIENT);
  const auto welcome = co_await net::say_hello(*opened, std::move(hello), "", kConnectMax);
  if (!welcome) failures_.add("a client was not let in: " + welcome.error().message);
  connections_[client] = std::move(*opened);
}

asio::awaitable<void> ClientCrowd::ask(std::size_t client) {
  const Connection connection = connections_[client];
  if (!connection) co_return;
  const Clock::time_point begin = Clock::now();
  if (!connection->send(question_)) {
    failures_.add("a client's connection was closed");
    co_return;
  }
  const auto payload = co_await connection->receive();
  latencies_.add(Clock::now() - begin);
  if (!payload) {
    failures_.add("an answer was lost: " + payload.error().message);
    co_return;
  }
  wire::Reply reply;
  const bool parsed = reply.ParseFromArray(payload->data(), static_cast<int>(payload->size()));
  const std::string complaint = parsed ? check_(reply) : "an answer is damaged";
  if (!complaint.empty()) failures_.add(complaint);
}

asio::awaitable<void> ClientCrowd::ask_every(std::size_t client, Duration every, std::uint32_t times) {
  const auto count = static_cast<std::int64_t>(connections_.size());
  Clock::time_point next = Clock::now() + every * static_cast<std::int64_t>(client) / count;
  for (std::uint32_t i = 0; i < times; ++i, next += every) {
    co_await net::sleep_for(std::max<Duration>(next - Clock::now(), Duration::zero()));
    co_await ask(client);
  }
}

Latencies ClientCrowd::ask_evenly(Duration every, Duration length) {
  const auto times = static_cast<std::uint32_t>(std::max<std::int64_t>(1, length / every));
  for_all([this, every, times](std::size_t client) { return ask_every(client, every, times); });
  return thread_.run([this] { return std::exchange(latencies_, {}); });
}

Latencies ClientCrowd::ask_at_once(std::uint32_t rounds) {
  for (std::uint32_t i = 0; i < rounds; ++i) {
    for_all([this](std::size_t client) { return ask(client); });
  }
  return thread_.run([this] { return std::exchange(latencies_, {}); });
}

}  // namespace ontime::load
