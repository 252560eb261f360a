#include "tests/load/stuck_peers.h"

#include <unistd.h>

#include <array>
#include <asio/co_spawn.hpp>
#include <asio/write.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "common/net/coroutine.h"
#include "common/protocol/client.pb.h"
#include "common/protocol/frame.h"
#include "common/protocol/version.h"

namespace ontime::load {
namespace {

using asio::ip::tcp;

constexpr int kReceiveBuffer = 4096;  // so that little is enough to fill it
constexpr auto kBeat = std::chrono::milliseconds(200);
constexpr int kBeatsBeforeTheEnd = 5;

template <class Message>
std::string frame_of(const Message& message) {
  std::string frame;
  protocol::append_frame(frame, message);
  return frame;
}

std::string greeting_frames(wire::Role role) {
  wire::Hello hello;
  protocol::set_version(hello);
  hello.set_role(role);
  return frame_of(hello) + frame_of(wire::Proof());  // the master asks for no token
}

std::string registration_frame(std::uint32_t number) {
  wire::ToMaster message;
  message.mutable_register_()->set_incarnation("stuck-" + std::to_string(::getpid()) + "-" + std::to_string(number));
  message.mutable_register_()->set_host("stuck");
  message.mutable_register_()->set_slots(1);
  return frame_of(message);
}

// The master answers each of these attempts with the order to end it.
std::string heartbeat_frame() {
  wire::ToMaster message;
  for (std::uint32_t task = 0; task < 20; ++task) {
    wire::Attempt* attempt = message.mutable_heartbeat()->add_attempts()->mutable_attempt();
    attempt->set_job(0xffff'0000);
    attempt->set_task(task);
  }
  return frame_of(message);
}

asio::awaitable<bool> write(tcp::socket& socket, const std::string& bytes) {
  const auto [error, size] = co_await asio::async_write(socket, asio::buffer(bytes), net::no_throw);
  co_return !error;
}

asio::awaitable<void> read_to_the_end(tcp::socket& socket) {
  std::vector<char> bytes(4096);
  for (bool is_open = true; is_open;) {
    const auto [error, size] = co_await socket.async_read_some(asio::buffer(bytes), net::no_throw);
    is_open = !error;
  }
}

asio::awaitable<void> read_slowly(std::shared_ptr<tcp::socket> socket) {
  std::array<char, 1> byte{};
  while (socket->is_open()) {
    const auto [error, size] = co_await socket->async_read_some(asio::buffer(byte), net::no_throw);
    if (error) break;
    co_await net::sleep_for(std::chrono::seconds(1));
  }
}

}  // namespace

StuckPeers::StuckPeers(net::Endpoint master, std::uint32_t of_each_kind)
    : master_(std::move(master)), of_each_kind_(of_each_kind) {}

StuckPeers::~StuckPeers() { thread_.stop(); }

void StuckPeers::start() {
  thread_.run([this] {
    std::uint32_t number = 0;
    for (const Kind kind : {Kind::DeafWorker, Kind::DeafClient, Kind::SlowClient, Kind::BrokenWorker}) {
      for (std::uint32_t i = 0; i < of_each_kind_; ++i) {
        asio::co_spawn(thread_.io(), live(kind, ++number), net::AbortOnException{"stuck_peer"});
      }
    }
  });
}

asio::awaitable<void> StuckPeers::live(Kind kind, std::uint32_t number) {
  const auto socket = std::make_shared<tcp::socket>(thread_.io());
  socket->open(tcp::v4());
  socket->set_option(tcp::socket::receive_buffer_size(kReceiveBuffer));
  const tcp::endpoint endpoint(asio::ip::make_address(master_.host), master_.port);
  const auto [error] = co_await socket->async_connect(endpoint, net::no_throw);
  if (!error) {
    if (kind == Kind::SlowClient) {
      asio::co_spawn(thread_.io(), read_slowly(socket), net::AbortOnException{"slow_client"});
    }
    if (kind == Kind::DeafWorker || kind == Kind::BrokenWorker)
      co_await be_worker(*socket, kind, number);
    else
      co_await be_client(*socket);
  }
  asio::error_code ignored;
  socket->close(ignored);
  ++closed_;
}

asio::awaitable<void> StuckPeers::be_worker(tcp::socket& socket, Kind kind, std::uint32_t number) {
  const std::string greeting = greeting_frames(wire::WORKER) + registration_frame(number);
  bool is_alive = co_await write(socket, greeting);
  const std::string beat = heartbeat_frame();
  const std::string half = beat.substr(0, beat.size() / 2);
  for (int i = 0; is_alive && (kind == Kind::DeafWorker || i < kBeatsBeforeTheEnd); ++i) {
    co_await net::sleep_for(kBeat);
    is_alive = co_await write(socket, beat);
  }
  if (is_alive) is_alive = co_await write(socket, half);
  if (is_alive) co_await read_to_the_end(socket);
}

asio::awaitable<void> StuckPeers::be_client(tcp::socket& socket) {
  wire::Request request;
  request.mutable_list_jobs();
  const std::string greeting = greeting_frames(wire::CLIENT);
  const std::string question = frame_of(request);
  bool is_alive = co_await write(socket, greeting);
  while (is_alive) {
    is_alive = co_await write(socket, question);
    if (is_alive) co_await net::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace ontime::load
