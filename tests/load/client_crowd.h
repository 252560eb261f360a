#pragma once
// Many clients at once, each with a connection of its own to the master, on one thread. Each question is timed from the
// moment it is handed to the kernel to the moment its whole answer is there; answers are looked at afterwards.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/net/connection.h"
#include "common/net/endpoint.h"
#include "common/protocol/client.pb.h"
#include "tests/load/event_thread.h"
#include "tests/load/failures.h"
#include "tests/load/latencies.h"

namespace ontime::load {

class ClientCrowd {
 public:
  // What is wrong with an answer; empty: nothing.
  using Check = std::function<std::string(const wire::Reply&)>;

  ClientCrowd(net::Endpoint master, std::uint32_t clients, wire::Request question, Check check, Failures& failures);
  ~ClientCrowd();

  // New connections for all of them; returns when they stand.
  void connect();
  // Each asks every so often, the crowd spread evenly over that time.
  Latencies ask_evenly(Duration every, Duration length);
  // All ask at the same moment, and again when all have their answer.
  Latencies ask_at_once(std::uint32_t rounds);

 private:
  using Connection = std::shared_ptr<net::Connection>;
  using Work = std::function<asio::awaitable<void>(std::size_t client)>;

  void for_all(const Work& work);
  asio::awaitable<void> do_one(Work work, std::size_t client, std::shared_ptr<std::size_t> left,
                               std::shared_ptr<std::promise<void>> done);
  asio::awaitable<void> open(std::size_t client);
  asio::awaitable<void> ask(std::size_t client);
  asio::awaitable<void> ask_every(std::size_t client, Duration every, std::uint32_t times);

  const net::Endpoint master_;
  const wire::Request question_;
  const Check check_;
  Failures& failures_;
  EventThread thread_;  // outlives what belongs to it:
  std::vector<Connection> connections_;
  Latencies latencies_;
};

}  // namespace ontime::load
