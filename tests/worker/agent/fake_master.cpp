#include "tests/worker/agent/fake_master.h"

#include <gtest/gtest.h>

#include <utility>

#include "common/net/coroutine.h"
#include "common/net/handshake.h"

namespace ontime::worker::test {

FakeMaster::FakeMaster(asio::io_context& io) : acceptor_(io) {
  auto listening = net::listen(io.get_executor(), {"127.0.0.1", 0});
  EXPECT_TRUE(listening);
  acceptor_ = std::move(*listening);
}

net::Endpoint FakeMaster::endpoint() const { return {"127.0.0.1", acceptor_.local_endpoint().port()}; }

asio::awaitable<void> FakeMaster::accept(std::string cluster) {
  auto [error, socket] = co_await acceptor_.async_accept(net::no_throw);
  EXPECT_FALSE(error);
  connection_ = net::Connection::make(std::move(socket));
  net::HostIdentity identity;
  identity.cluster = cluster;
  identity.epoch = 1;
  identity.tokens = net::Tokens::single("secret");
  const auto guest = co_await net::answer_hello(connection_, identity, std::chrono::seconds(10));
  EXPECT_TRUE(guest) << guest.error().message;
  if (guest) hello = guest->hello;
  const wire::ToMaster first = co_await receive();
  EXPECT_TRUE(first.has_register_());
  registration = first.register_();
  heartbeats_ = 0;
}

asio::awaitable<void> FakeMaster::refuse(std::string sentence) {
  auto [error, socket] = co_await acceptor_.async_accept(net::no_throw);
  EXPECT_FALSE(error);
  connection_ = net::Connection::make(std::move(socket));
  const auto greeting = co_await connection_->receive();
  EXPECT_TRUE(greeting);
  wire::HelloReply reply;
  reply.set_error(sentence);
  connection_->send(reply);
  co_await connection_->flush();
  connection_->close();
}

void FakeMaster::welcome(Duration heartbeat, std::uint32_t fenced_task, Duration silence_max) {
  wire::ToWorker message;
  message.mutable_welcome()->set_node(1);
  message.mutable_welcome()->set_heartbeat_interval_ns(heartbeat.count());
  message.mutable_welcome()->set_silence_max_ns(silence_max.count());
  if (fenced_task != kNone) {
    auto& fenced = *message.mutable_welcome()->add_fenced();
    fenced.set_job(1);
    fenced.set_task(fenced_task);
  }
  send(message);
}

void FakeMaster::send_orders(std::uint64_t acknowledged, std::uint32_t kill_task) {
  wire::ToWorker message;
  message.mutable_orders()->set_acknowledged(acknowledged);
  message.mutable_orders()->set_heartbeats(answers_ ? heartbeats_ : 0);
  if (kill_task != kNone) {
    auto& attempt = *message.mutable_orders()->add_orders()->mutable_kill()->mutable_attempt();
    attempt.set_job(1);
    attempt.set_task(kill_task);
  }
  send(message);
}

// A frame whose payload is no message: a HelloReply's text, where a submessage is due, that breaks off.
void FakeMaster::send_garbage() {
  wire::HelloReply garbage;
  garbage.set_error("\n\x05x");
  connection_->send(garbage);
}

asio::awaitable<wire::ToMaster> FakeMaster::receive_any() {
  wire::ToMaster message;
  const auto payload = co_await connection_->receive();
  EXPECT_TRUE(!payload || message.ParseFromArray(payload->data(), static_cast<int>(payload->size())));
  if (message.has_heartbeat()) {
    ++heartbeats_;
    if (answers_) send_orders(0);
  }
  co_return message;
}

asio::awaitable<wire::ToMaster> FakeMaster::receive_heartbeat() {
  for (;;) {
    wire::ToMaster message = co_await receive_any();
    if (message.has_heartbeat() || message.what_case() == wire::ToMaster::WHAT_NOT_SET) co_return message;
  }
}

asio::awaitable<wire::ToMaster> FakeMaster::receive() {
  for (;;) {
    wire::ToMaster message = co_await receive_any();
    if (!message.has_heartbeat()) co_return message;
  }
}

asio::awaitable<bool> FakeMaster::is_left() {
  for (;;) {
    const auto payload = co_await connection_->receive();
    if (!payload) co_return true;
  }
}

}  // namespace ontime::worker::test
