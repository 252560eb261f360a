#pragma once
// Lets workers and clients in: accepts, shakes hands, runs their sessions. Control thread only.

#include <asio/awaitable.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "common/net/connection.h"
#include "common/net/handshake.h"
#include "master/actions/action_dispatcher.h"
#include "master/advice/advisor.h"
#include "master/base/measures.h"
#include "master/clients/client_session.h"

namespace ontime::master {

class Acceptor {
 public:
  struct Patience {
    Duration stuck_max;  // see Settings
    Duration idle_max;
  };
  Acceptor(asio::ip::tcp::acceptor socket, net::HostIdentity identity, Patience patience, ActionDispatcher& dispatcher,
           ClientServices services, Advisor* advisor);

  void start();
  void close();  // the listening socket and every connection
  bool has_unsent() const;  // something waits for a peer to read
  std::uint16_t port() const { return port_; }
  const SessionCounters& counters() const { return counters_; }
  // From now on; ends the connections that other tokens have let in, and says how many.
  std::size_t set_tokens(net::Tokens tokens);

 private:
  asio::awaitable<void> accept_loop();
  asio::awaitable<void> serve(std::shared_ptr<net::Connection> connection);
  void count(net::PeerFault fault, const std::string& peer);
  asio::awaitable<Result<net::Guest>> shake_hands(std::shared_ptr<net::Connection> connection);
  asio::awaitable<void> serve_guest(std::shared_ptr<net::Connection> connection, net::Guest guest);
  asio::awaitable<void> serve_worker(std::shared_ptr<net::Connection> connection);
  asio::awaitable<void> serve_application(std::shared_ptr<net::Connection> connection, std::string owner);
  asio::awaitable<void> serve_client(std::shared_ptr<net::Connection> connection, net::Guest guest);
  bool make_room_for(const ClientSession& next);
  void end_idle_clients();

  asio::ip::tcp::acceptor socket_;
  const std::uint16_t port_;
  net::HostIdentity identity_;
  const Patience patience_;
  ActionDispatcher& dispatcher_;
  const ClientServices services_;
  Advisor* const advisor_;  // null: it does not advise, and no application master comes in
  SessionCounters counters_;
  struct Connected {
    std::shared_ptr<net::Connection> connection;
    bool is_admitted = false;
    std::optional<net::Token> token;  // by which it was
  };
  std::map<std::uint64_t, Connected> connections_;  // in the order in which they came
  std::uint64_t last_connection_ = 0;
  std::list<std::shared_ptr<net::Connection>> half_open_;  // of them, oldest first
  std::list<ClientSession*> clients_;
  asio::steady_timer idle_looks_;
  std::size_t workers_ = 0;  // or application masters: one master never has both
};

}  // namespace ontime::master
