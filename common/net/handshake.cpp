#include "common/net/handshake.h"

#include <asio/steady_timer.hpp>
#include <utility>

#include "common/base/units.h"
#include "common/net/sockets.h"

namespace ontime::net {
namespace {

constexpr std::size_t kHelloBytesMax = 64u << 10;  // a stranger must not make us hold more
constexpr Duration kStuckMax = std::chrono::seconds(15);

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

// What the token and the certificate are good for together.
Guest admit(wire::Hello hello, const HostIdentity& identity, const PeerCertificate* certificate) {
  Guest guest{std::move(hello), Rights::all(), ""};
  if (!identity.tokens.is_empty()) {
    const Tokens::Grant grant = identity.tokens.find(guest.hello.token());
    guest.rights = grant.rights;
    guest.credentials = "token of " + grant.roles;
  }
  if (certificate != nullptr) {
    guest.rights = guest.rights & rights_of_role(certificate->role).value_or(Rights());
    if (!guest.credentials.empty()) guest.credentials += ", ";
    guest.credentials += "certificate of " + certificate->name + " (" + certificate->role + ")";
  }
  return guest;
}

// What is wrong with a hello. The token comes before all that a stranger need not know.
Status check(const Guest& guest, const HostIdentity& identity, const PeerCertificate* certificate) {
  const wire::Hello& hello = guest.hello;
  if (identity.tls && certificate == nullptr) {
    return bad_input("the master speaks TLS only; give --tls-ca, --tls-cert and --tls-key, or set ONTIME_TLS_DIR");
  }
  if (hello.protocol() != protocol::kProtocolVersion) {
    return bad_input("the master speaks version " + std::to_string(protocol::kProtocolVersion) +
                     " of the protocol and the other side version " + std::to_string(hello.protocol()) +
                     "; run the same release of Ontime on both");
  }
  if (hello.role() != wire::WORKER && hello.role() != wire::CLIENT) {
    return bad_input("the hello is from neither a worker nor a client");
  }
  if (!identity.tokens.is_empty() && identity.tokens.find(hello.token()).rights.is_empty()) {
    return bad_input("the " + role_name(hello.role()) +
                     "'s token is not the master's; set ONTIME_TOKEN or --token-file to the same on both");
  }
  const Right needed = hello.role() == wire::WORKER ? Right::Register : Right::Read;
  if (!guest.rights.has(needed)) return bad_input(describe_refusal(needed, guest.credentials));
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

// The end of a peer that wants TLS where there is none. It takes the sentence for a broken TLS record and says so
// itself.
asio::awaitable<Status> refuse_tls(std::shared_ptr<Connection> connection) {
  wire::HelloReply reply;
  reply.set_error("this master does not speak TLS");
  connection->send(reply);
  co_await connection->flush();
  co_return bad_input(connection->peer() +
                      " speaks TLS and this master does not; give the master --tls-ca, --tls-cert and --tls-key too");
}

// TLS, if the peer begins it. A peer that does not is told so when it has said hello.
asio::awaitable<Status> encrypt(std::shared_ptr<Connection> connection, TlsPointer identity, Duration limit) {
  const TimeLimit time_limit(connection, limit);
  const bool speaks_tls = co_await connection->begins_with_tls();
  if (time_limit.has_passed()) {
    co_return unavailable(connection->peer() + " said nothing within " + format_duration(limit));
  }
  if (!speaks_tls) co_return Status();
  Status encrypted;
  if (identity)
    encrypted = co_await connection->encrypt_as_host(identity);
  else
    encrypted = co_await refuse_tls(connection);
  if (time_limit.has_passed()) {
    co_return unavailable(connection->peer() + " did not finish the TLS handshake within " + format_duration(limit));
  }
  if (!encrypted) {
    co_await connection->drain();
    connection->close();
  }
  co_return encrypted;
}

}  // namespace

asio::awaitable<Result<std::shared_ptr<Connection>>> open_connection(Endpoint endpoint, TlsPointer identity,
                                                                     Duration limit) {
  auto socket = co_await connect(endpoint, limit);
  if (!socket) co_return std::move(socket).error();
  end_when_stuck(*socket, kStuckMax);
  auto connection = Connection::make(std::move(*socket));
  if (!identity) co_return connection;
  const TimeLimit time_limit(connection, limit);
  const Status encrypted = co_await connection->encrypt_as_guest(identity, endpoint.host);
  if (time_limit.has_passed()) {
    co_return unavailable(to_string(endpoint) + " did not finish the TLS handshake within " + format_duration(limit) +
                          "; does it speak TLS?");
  }
  if (!encrypted) {
    connection->close();
    co_return encrypted.error();
  }
  co_return connection;
}

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

asio::awaitable<Result<Guest>> answer_hello(std::shared_ptr<Connection> connection, HostIdentity identity,
                                            Duration limit) {
  const Status encrypted = co_await encrypt(connection, identity.tls, limit);
  if (!encrypted) co_return encrypted.error();
  auto hello = co_await receive_message<wire::Hello>(connection, limit);
  Guest guest;
  Status fit;
  if (hello) {
    guest = admit(std::move(*hello), identity, connection->certificate());
    fit = check(guest, identity, connection->certificate());
  } else {
    fit = hello.error();
  }
  if (!fit) {
    if (connection->is_open()) co_await refuse(connection, fit.error().message, limit);
    co_return fit.error();
  }
  wire::HelloReply reply;
  reply.set_cluster(identity.cluster);
  reply.set_epoch(identity.epoch);
  if (!connection->send(reply)) co_return unavailable(connection->peer() + " closed the connection");
  co_return guest;
}

}  // namespace ontime::net
