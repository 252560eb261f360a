#pragma once
// Peers of a master that are not quite dead. None of them reads what it is sent, but for a byte a second:
//
//   deaf worker    registers and sends heartbeats, with attempts that it should not have, and takes no orders
//   deaf client    asks and asks
//   slow client    the same, and reads one byte a second
//   broken worker  registers, sends heartbeats, and stops in the middle of one
//
// Each goes on until the master closes its connection.

#include <asio/awaitable.hpp>
#include <asio/ip/tcp.hpp>
#include <atomic>
#include <cstdint>
#include <string>

#include "common/net/endpoint.h"
#include "common/protocol/control.pb.h"
#include "tests/load/event_thread.h"

namespace ontime::load {

class StuckPeers {
 public:
  StuckPeers(net::Endpoint master, std::uint32_t of_each_kind);
  ~StuckPeers();

  void start();
  std::uint32_t count() const { return 4 * of_each_kind_; }
  std::uint32_t closed() const { return closed_; }  // by the master

 private:
  enum class Kind { DeafWorker, DeafClient, SlowClient, BrokenWorker };
  asio::awaitable<void> live(Kind kind, std::uint32_t number);
  asio::awaitable<void> be_worker(asio::ip::tcp::socket& socket, Kind kind, std::uint32_t number);
  asio::awaitable<void> be_client(asio::ip::tcp::socket& socket);

  const net::Endpoint master_;
  const std::uint32_t of_each_kind_;
  std::atomic<std::uint32_t> closed_ = 0;
  EventThread thread_;
};

}  // namespace ontime::load
