#include "common/net/handshake.h"

#include <algorithm>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <utility>

#include "common/base/units.h"
#include "common/net/coroutine.h"
#include "common/net/sockets.h"
#include "common/protocol/version.h"

// A false alarm of g++ 12 under sanitizers: when it inlines a coroutine into another one, it loses track of how the
// frame was allocated.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace ontime::net {
namespace {

constexpr std::size_t kHelloBytesMax = 64u << 10;  // a stranger must not make us hold more
constexpr Duration kStuckMax = std::chrono::seconds(15);
// Of several masters, whose machines may be gone: how long the first is given, and each further one more.
constexpr Duration kFirstTry = std::chrono::milliseconds(300);
constexpr Duration kPause = std::chrono::milliseconds(20);

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

template <class Message>
struct Heard {
  Message message;
  std::string bytes;  // as they came
};

// One message of the handshake, or why there is none. Frames stay limited: the next may be another one of it.
template <class Message>
asio::awaitable<Result<Heard<Message>>> receive_message(std::shared_ptr<Connection> connection, Duration limit) {
  const TimeLimit time_limit(connection, limit);
  connection->limit_frames(kHelloBytesMax);
  const auto payload = co_await connection->receive();
  if (time_limit.has_passed()) {
    co_return unavailable(connection->peer() + " said nothing within " + format_duration(limit));
  }
  if (!payload) co_return payload.error();
  Heard<Message> heard;
  heard.bytes = *payload;
  if (!heard.message.ParseFromString(heard.bytes)) {
    co_return failed(connection->peer() + " did not begin with a handshake; is it an Ontime program?");
  }
  co_return heard;
}

std::string role_name(wire::Role role) {
  if (role == wire::APPLICATION_MASTER) return "application master";
  return role == wire::WORKER ? "worker" : "client";
}

// The version of the protocol that a peer of this role speaks with the master.
protocol::Version version_for(wire::Role role) {
  return role == wire::APPLICATION_MASTER ? protocol::kAdviceVersion : protocol::kVersion;
}

// What it has to be allowed to.
Right right_of(wire::Role role) {
  if (role == wire::APPLICATION_MASTER) return Right::Submit;
  return role == wire::WORKER ? Right::Register : Right::Read;
}

// What is wrong with a hello, before it is known who sent it.
Status check(const wire::Hello& hello, const HostIdentity& identity, const PeerCertificate* certificate) {
  if (identity.tls && certificate == nullptr) {
    return bad_input("the master speaks TLS only; give --tls-ca, --tls-cert and --tls-key, or set ONTIME_TLS_DIR");
  }
  const protocol::Version ours = version_for(hello.role());
  if (hello.protocol() != ours.major_version) {
    return bad_input(
        protocol::describe_mismatch(role_name(hello.role()), ours, protocol::version_of(hello), hello.release()));
  }
  if (hello.role() != wire::WORKER && hello.role() != wire::CLIENT && hello.role() != wire::APPLICATION_MASTER) {
    return bad_input("the hello is from neither a worker nor a client");
  }
  if (hello.role() == wire::WORKER && identity.advises) {
    return bad_input("the master advises Hadoop and has no work for workers; start one without --advise for them");
  }
  if (hello.role() == wire::APPLICATION_MASTER && !identity.advises) {
    return bad_input("the master does not advise Hadoop; start one with --advise for that");
  }
  return {};
}

// The token that the guest has proved to know; null if it is none of ours. Tries all of them, whichever it is.
const Token* proven_token(const Tokens& tokens, const std::string& proof, const Greeting& greeting) {
  const Token* proven = nullptr;
  for (const Token& token : tokens.all()) {
    if (is_proof(proof, Side::Guest, token.secret, greeting)) proven = &token;
  }
  return proven;
}

Error not_our_token(const wire::Hello& hello, const std::string& proof) {
  return bad_input("the " + role_name(hello.role()) +
                   (proof.empty() ? " has no token and the master wants one" : "'s token is not the master's") +
                   "; set ONTIME_TOKEN or --token-file to the same on both");
}

// What the token (null if none is asked for) and the certificate are good for together.
Guest admit(wire::Hello hello, const Token* token, const PeerCertificate* certificate) {
  Guest guest{std::move(hello), Rights::all(), "", ""};
  if (token != nullptr) {
    guest.token = *token;
    guest.name = token->name;
    guest.rights = token->rights();
    guest.credentials = token->describe();
  }
  if (certificate != nullptr) {
    guest.rights = guest.rights & rights_of_role(certificate->role).value_or(Rights());
    if (guest.name.empty()) guest.name = certificate->name;
    if (!guest.credentials.empty()) guest.credentials += ", ";
    guest.credentials += "certificate of " + certificate->name + " (" + certificate->role + ")";
  }
  return guest;
}

// Whether it may be what it says it is, in this cluster.
Status check(const Guest& guest, const HostIdentity& identity) {
  const wire::Hello& hello = guest.hello;
  const Right needed = right_of(hello.role());
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

// TLS, if the peer begins it. A peer that does not learns so after its hello.
asio::awaitable<Status> encrypt(std::shared_ptr<Connection> connection, TlsPointer identity, Duration limit) {
  const TimeLimit time_limit(connection, limit);
  const bool speaks_tls = co_await connection->begins_with_tls();
  if (time_limit.has_passed()) {
    co_return unavailable(connection->peer() + " said nothing within " + format_duration(limit));
  }
  if (!speaks_tls) co_return Status();
  Status encrypted;
  if (identity)
    encrypted = co_await connection->encrypt(identity, "");
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

Error refused(const Connection& by, const std::string& sentence) {
  return bad_input(by.peer() + " refuses the connection: " + sentence);
}

// The guest's part, after TLS.
asio::awaitable<Result<wire::HelloReply>> introduce(std::shared_ptr<Connection> connection, wire::Hello hello,
                                                    std::string token, Duration limit) {
  protocol::set_version(hello, version_for(hello.role()));
  hello.set_nonce(random_bytes(kNonceBytes));
  connection->send(hello);
  const auto challenge = co_await receive_message<wire::Challenge>(connection, limit);
  if (!challenge) co_return challenge.error();
  if (!challenge->message.error().empty()) co_return refused(*connection, challenge->message.error());
  if (challenge->message.nonce().size() != kNonceBytes) {
    co_return failed(connection->peer() + " did not begin with a handshake; is it an Ontime program?");
  }
  if (!token.empty() && !challenge->message.wants_token()) {
    co_return failed(connection->peer() +
                     " asks for no token, but one is set here; is another program on that port? To use a master "
                     "without a token, unset ONTIME_TOKEN and --token-file");
  }
  const Greeting greeting{hello.SerializeAsString(), challenge->message.nonce()};
  wire::Proof proof;
  if (!token.empty()) proof.set_proof(make_proof(Side::Guest, token, greeting));
  connection->send(proof);
  const auto reply = co_await receive_message<wire::HelloReply>(connection, limit);
  if (!reply) co_return reply.error();
  if (!reply->message.error().empty() && !reply->message.follows()) {
    co_return refused(*connection, reply->message.error());
  }
  if (!token.empty() && !is_proof(reply->message.proof(), Side::Host, token, greeting)) {
    co_return failed(connection->peer() + " does not know the token; is another program on that port?");
  }
  co_return reply->message;
}

// A peer that is ours, but has come to a master that follows.
asio::awaitable<Error> send_on(std::shared_ptr<Connection> connection, wire::HelloReply reply, std::string leader,
                               Duration limit) {
  const TimeLimit time_limit(connection, limit);
  reply.set_follows(true);
  reply.set_leader(leader);
  reply.set_error(leader.empty() ? "this master follows, and none leads just now; try again in some seconds"
                                 : "this master follows the one at " + leader + "; connect there");
  connection->send(reply);
  co_await connection->flush();
  connection->close();
  co_return unavailable("was sent on to " + (leader.empty() ? "no master" : leader));
}

// One connection and introduction. What is unavailable leaves `masters` at the one to try next.
asio::awaitable<Result<Reached>> try_master(Masters* masters, TlsPointer identity, wire::Hello hello, std::string token,
                                            Duration limit) {
  auto opened = co_await open_connection(masters->current(), identity, limit);
  if (!opened) {
    Error error = std::move(opened).error();
    if (!hello.cluster().empty()) error.kind = ErrorKind::Unavailable;  // it was let in before: TLS will work again
    if (error.kind == ErrorKind::Unavailable) masters->try_next();
    co_return error;
  }
  Reached reached{std::move(*opened), {}};
  auto reply = co_await introduce(reached.connection, std::move(hello), std::move(token), limit);
  reached.connection->lift_frame_limit();
  if (reply && !reply->follows()) {
    reached.reply = std::move(*reply);
    co_return reached;
  }
  reached.connection->close();
  if (reply) {
    masters->turn_to(reply->leader());
    co_return unavailable(reached.connection->peer() + ": " + reply->error());
  }
  if (reply.error().kind == ErrorKind::Unavailable) masters->try_next();
  co_return reply.error();
}

// The host's part, after TLS: whom it has let in. An error is not told to the guest yet.
asio::awaitable<Result<Guest>> meet(std::shared_ptr<Connection> connection, HostIdentity identity, Duration limit) {
  const auto hello = co_await receive_message<wire::Hello>(connection, limit);
  if (!hello) co_return hello.error();
  const PeerCertificate* certificate = connection->certificate();
  if (Status fit = check(hello->message, identity, certificate); !fit) co_return fit.error();
  wire::Challenge challenge;
  challenge.set_nonce(random_bytes(kNonceBytes));
  challenge.set_wants_token(!identity.tokens.is_empty());
  connection->send(challenge);
  const auto proof = co_await receive_message<wire::Proof>(connection, limit);
  if (!proof) co_return proof.error();
  const Greeting greeting{hello->bytes, challenge.nonce()};
  const Token* token = proven_token(identity.tokens, proof->message.proof(), greeting);
  if (token == nullptr && !identity.tokens.is_empty()) {
    co_return not_our_token(hello->message, proof->message.proof());
  }
  Guest guest = admit(hello->message, token, certificate);
  if (Status fit = check(guest, identity); !fit) co_return fit.error();
  wire::HelloReply reply;
  reply.set_cluster(identity.cluster);
  reply.set_epoch(identity.epoch);
  protocol::set_version(reply, version_for(guest.hello.role()));
  if (token != nullptr) reply.set_proof(make_proof(Side::Host, token->secret, greeting));
  if (identity.follows) co_return co_await send_on(connection, std::move(reply), *identity.follows, limit);
  if (!connection->send(reply)) co_return unavailable(connection->peer() + " closed the connection");
  co_return guest;
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
  const Status encrypted = co_await connection->encrypt(identity, endpoint.host);
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
                                                    std::string token, Duration limit) {
  auto reply = co_await introduce(connection, std::move(hello), std::move(token), limit);
  if (reply && reply->follows()) reply = unavailable(connection->peer() + ": " + reply->error());
  if (!reply) connection->close();
  connection->lift_frame_limit();
  co_return reply;
}

asio::awaitable<Result<Reached>> reach_leader(Masters* masters, TlsPointer identity, wire::Hello hello,
                                              std::string token, Duration limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  Duration patience = masters->are_several() ? std::min(limit, kFirstTry) : limit;
  bool is_old_news = masters->is_sent_on();  // whom it named the last time may be gone
  for (bool was_sent_on = false;;) {
    auto tried = co_await try_master(masters, identity, hello, token, patience);
    if (tried || tried.error().kind != ErrorKind::Unavailable) co_return tried;
    const bool is_sent_on = masters->is_sent_on();
    if (!masters->are_several() && !is_old_news && (was_sent_on || !is_sent_on)) co_return tried;
    was_sent_on = is_sent_on && !is_old_news;
    is_old_news = false;
    const Duration left = until - std::chrono::steady_clock::now();
    if (left <= Duration(0)) co_return tried;
    co_await sleep_for(std::min(left, kPause));
    patience = std::min({patience + kFirstTry, limit, std::max(kFirstTry, left)});
  }
}

asio::awaitable<Result<Guest>> answer_hello(std::shared_ptr<Connection> connection, HostIdentity identity,
                                            Duration limit) {
  const Status encrypted = co_await encrypt(connection, identity.tls, limit);
  if (!encrypted) co_return encrypted.error();
  Result<Guest> guest = co_await meet(connection, std::move(identity), limit);
  if (!guest && connection->is_open()) co_await refuse(connection, guest.error().message, limit);
  // Only jobs and the reports of workers are large. Clients that may only read may be many.
  const bool may_be_large = guest && (guest->rights.has(Right::Submit) || guest->rights.has(Right::Register));
  if (may_be_large) connection->lift_frame_limit();
  co_return guest;
}

}  // namespace ontime::net
