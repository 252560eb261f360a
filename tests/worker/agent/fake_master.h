#pragma once
// A master on the loopback in the hands of a test's coroutine: accepts, answers hellos, reads and sends messages.

#include <asio/awaitable.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "common/net/connection.h"
#include "common/net/sockets.h"
#include "common/protocol/control.pb.h"

namespace ontime::worker::test {

class FakeMaster {
 public:
  explicit FakeMaster(asio::io_context& io);

  net::Endpoint endpoint() const;
  void stop_listening() { acceptor_.close(); }

  // The next worker, which has to know the token "secret", let in as a member of `cluster`; its registration is in
  // `registration`.
  asio::awaitable<void> accept(std::string cluster);
  // The next worker, refused with this sentence.
  asio::awaitable<void> refuse(std::string sentence);
  void welcome(Duration heartbeat, std::uint32_t fenced_task = kNone, Duration silence_max = std::chrono::hours(1));
  // From now on heartbeats are not answered; otherwise each is, when it is received.
  void stops_answering() { answers_ = false; }
  void send(const wire::ToWorker& message) { connection_->send(message); }
  void send_orders(std::uint64_t acknowledged, std::uint32_t kill_task = kNone);
  void send_garbage();
  void hang_up() { connection_->close(); }

  // The next message that is / is not a heartbeat. An empty one if the connection has ended.
  asio::awaitable<wire::ToMaster> receive_heartbeat();
  asio::awaitable<wire::ToMaster> receive();
  asio::awaitable<wire::ToMaster> receive_any();
  // Whether the worker has closed the connection; reads until then.
  asio::awaitable<bool> is_left();

  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  wire::Hello hello;
  wire::ToMaster::Register registration;

 private:
  asio::ip::tcp::acceptor acceptor_;
  std::shared_ptr<net::Connection> connection_;
  bool answers_ = true;
  std::uint64_t heartbeats_ = 0;  // of this session
};

}  // namespace ontime::worker::test
