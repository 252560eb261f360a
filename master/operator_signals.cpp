#include "master/operator_signals.h"

#include <spdlog/spdlog.h>

#include <csignal>
#include <utility>

#include "common/log/fields.h"

namespace ontime::master {

OperatorSignals::OperatorSignals(asio::io_context& io, std::string file, net::Tokens tokens)
    : hangups_(io, SIGHUP), ends_(io), file_(std::move(file)), tokens_(std::move(tokens)) {}

void OperatorSignals::serve(Use use) {
  use_ = std::move(use);
  is_served_ = true;
  for (const int signal : {SIGTERM, SIGINT}) ends_.add(signal);
  wait_for_end();
  wait_for_hangup();
}

void OperatorSignals::pause() {
  is_served_ = false;
  hangups_.cancel();
  ends_.cancel();
}

void OperatorSignals::wait_for_end() {
  ends_.async_wait([this](const asio::error_code& error, int signal) {
    if (error) return;
    spdlog::info("master_stopping signal={}", signal);
    use_.end();
  });
}

void OperatorSignals::wait_for_hangup() {
  hangups_.async_wait([this](const asio::error_code& error, int) {
    if (error) return;
    read_tokens();
    if (is_served_) wait_for_hangup();
  });
}

void OperatorSignals::read_tokens() {
  Result<net::Tokens> tokens = net::read_accepted_tokens(file_);
  // A file that is gone must not open the master to everybody.
  if (tokens && tokens->is_empty() && !tokens_.is_empty()) {
    tokens = bad_input("there is no token file any more; a master that has begun with tokens goes on asking for them");
  }
  if (!tokens) {
    spdlog::error("tokens_unchanged reason={}", log::Quoted{tokens.error().message});
    return;
  }
  tokens_ = std::move(*tokens);
  const std::size_t ended = use_.set_tokens(tokens_);
  spdlog::info("tokens_read tokens={} connections_ended={}", tokens_.all().size(), ended);
}

}  // namespace ontime::master
