#include "master/token_reload.h"

#include <spdlog/spdlog.h>

#include <csignal>
#include <utility>

#include "common/log/fields.h"

namespace ontime::master {

TokenReload::TokenReload(asio::io_context& io, std::string file, bool has_tokens)
    : hangups_(io, SIGHUP), file_(std::move(file)), has_tokens_(has_tokens) {}

void TokenReload::start(Use use) {
  use_ = std::move(use);
  wait();
}

void TokenReload::wait() {
  hangups_.async_wait([this](const asio::error_code& error, int) {
    if (error) return;
    reload();
    wait();
  });
}

void TokenReload::reload() {
  Result<net::Tokens> tokens = read();
  if (!tokens) {
    spdlog::error("tokens_unchanged reason={}", log::Quoted{tokens.error().message});
    return;
  }
  has_tokens_ = !tokens->is_empty();
  const std::size_t count = tokens->all().size();
  const std::size_t ended = use_(std::move(*tokens));
  spdlog::info("tokens_read tokens={} connections_ended={}", count, ended);
}

// A file that is gone must not open the master to everybody.
Result<net::Tokens> TokenReload::read() const {
  Result<net::Tokens> tokens = net::read_accepted_tokens(file_);
  if (tokens && tokens->is_empty() && has_tokens_) {
    return bad_input("there is no token file any more; a master that has begun with tokens goes on asking for them");
  }
  return tokens;
}

}  // namespace ontime::master
