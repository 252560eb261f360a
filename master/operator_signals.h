#pragma once
// What an operator tells a master by signals: to end in order (SIGTERM, SIGINT), and to read its token file again
// (SIGHUP), so that tokens are added and revoked while everything runs.

#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <cstddef>
#include <functional>
#include <string>

#include "common/net/token.h"

namespace ontime::master {

// On the thread that runs the io_context: the file is small and on this machine.
class OperatorSignals {
 public:
  struct Use {
    std::function<void()> end;
    // Takes the tokens into use and says how many connections it ended whose token is not among them.
    std::function<std::size_t(net::Tokens)> set_tokens;
  };

  // `file` as in read_accepted_tokens(), `tokens` as they were read at the start. From now on SIGHUP does not end the
  // process.
  OperatorSignals(asio::io_context& io, std::string file, net::Tokens tokens);

  // The first one from the beginning on: no signal ends the process any more, and what nobody serves is remembered.
  void serve(Use use);
  // Until it is served again the io_context has nothing of this to wait for.
  void pause();

  const net::Tokens& tokens() const { return tokens_; }  // as they were read last

 private:
  void wait_for_end();
  void wait_for_hangup();
  // A file that cannot be used changes nothing and is logged.
  void read_tokens();

  asio::signal_set hangups_;
  asio::signal_set ends_;
  const std::string file_;
  net::Tokens tokens_;
  Use use_;
  bool is_served_ = false;
};

}  // namespace ontime::master
