#include "common/net/handshake.h"

#include <asio/steady_timer.hpp>
#include <utility>

#include "common/base/units.h"
#include "common/net/token.h"

namespace ontime::net {
namespace {

constexpr std::size_t kHelloBytesMax = 64u << 10;  // a stranger must not make us hold more

// Closes the connection if it is still alive when the limit has passed. The flags are shared with the timer's handler,
// which may already be on its way when the guard goes.
class TimeLimit {
 public:
  TimeLimit(const std::shared_ptr<Connection>& connection, Duration limit)
      : state_(std::make_shared<State>()), timer_(connection->executor(), limit) {
    timer_.async_wait([state = state_, weak = std::weak_ptr(connection)](const asio::error_code& error) {
      const auto guarded = weak.lock();
      if (error || state->is_over || !guarded) return;
      state->has_passed = true;
      guarded->close();
    });
  }
  ~TimeLimit() { state_->is_over = true; }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

  bool has_passed() const { return state_->has_passed; }

 private:
  struct State {
    bool is_over = false;
    bool has_passed = false;
  };
  std::shared_ptr<State> state_;
  asio::steady_timer timer_;
};

// One message of the handshake, or why there is none.
template <class Message>
asio::awaitable<Result<Message>> receive_message(std::shared_ptr<Connection> connection, Duration limit) {
  const TimeLimit time_limit(connection, limit);
  connection->limit_frames(kHelloBytesMax);
  const auto payload = co_await connection->receive();
  if (time_limit.has_passed()) {
    co_return unavailable(connection->peer() + " said nothing within " + format_duration(limit));
  }
  if (!payload) co_return payload.error();
  Message message;
  if (!message.ParseFromArray(payload->data(), static_cast<int>(payload->size()))) {
    co_return failed(connection->peer() + " did not begin with a handshake; is it an Ontime program?");
  }
  connection->lift_frame_limit();
  co_return message;
}

std::string role_name(wire::Role role) { return role == wire::WORKER ? "worker" : "client"; }

// What is wrong with a hello. The token comes before all that a stranger need not know.
Status check(const wire::Hello& hello, const HostIdentity& identity) {
  if (hello.protocol() != protocol::kProtocolVersion) {
    return bad_input("the master speaks version " + std::to_string(protocol::kProtocolVersion) +
                     " of the protocol and the other side version " + std::to_string(hello.protocol()) +
                     "; run the same release of Ontime on both");
  }
  if (hello.role() != wire::WORKER && hello.role() != wire::CLIENT) {
    return bad_input("the hello is from neither a worker nor a client");
  }
  if (!identity.token.empty() && !is_same_token(identity.token, hello.token())) {
    return bad_input("the " + role_name(hello.role()) +
                     "'s token is not the master's; set ONTIME_TOKEN or --token-file to the same on both");
  }
  if (!hello.cluster().empty() && hello.cluster() != identity.cluster) {
    return bad_input("the " + role_name(hello.role()) + " belongs to cluster " + hello.cluster() +
                     " and this master to cluster " + identity.cluster + "; restart it to join this one");
  }
  return {};
}

// Lets the refusal out before the connection closes, but does not wait for a peer that does not read it.
asio::awaitable<void> refuse(std::shared_ptr<Connection> connection, std::string sentence, Duration limit) {
  const TimeLimit time_limit(connection, limit);
  wire::HelloReply reply;
  reply.set_error(std::move(sentence));
  connection->send(reply);
  co_await connection->flush();
  connection->close();
}

}  // namespace

asio::awaitable<Result<wire::HelloReply>> say_hello(std::shared_ptr<Connection> connection, wire::Hello hello,
                                                    Duration limit) {
  if (hello.protocol() == 0) hello.set_protocol(protocol::kProtocolVersion);
  connection->send(hello);
  auto reply = co_await receive_message<wire::HelloReply>(connection, limit);
  if (!reply) {
    connection->close();
    co_return reply;
  }
  if (!reply->error().empty()) {
    connection->close();
    co_return bad_input(connection->peer() + " refuses the connection: " + reply->error());
  }
  co_return reply;
}

asio::awaitable<Result<wire::Hello>> answer_hello(std::shared_ptr<Connection> connection, HostIdentity identity,
                                                  Duration limit) {
  auto hello = co_await receive_message<wire::Hello>(connection, limit);
  Status fit;
  if (hello)
    fit = check(*hello, identity);
  else
    fit = hello.error();
  if (!fit) {
    if (connection->is_open()) co_await refuse(connection, fit.error().message, limit);
    co_return fit.error();
  }
  wire::HelloReply reply;
  reply.set_cluster(identity.cluster);
  reply.set_epoch(identity.epoch);
  if (!connection->send(reply)) co_return unavailable(connection->peer() + " closed the connection");
  co_return hello;
}

}  // namespace ontime::net
