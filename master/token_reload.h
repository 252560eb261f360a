#pragma once
// Reads the master's token file again on each SIGHUP, so that tokens are added and revoked while everything runs. A file
// that cannot be used changes nothing and is logged. Control thread only: the file is small and on this machine.

#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <cstddef>
#include <functional>
#include <string>

#include "common/base/result.h"
#include "common/net/token.h"

namespace ontime::master {

class TokenReload {
 public:
  // Takes the tokens into use and says how many connections it ended whose token is not among them.
  using Use = std::function<std::size_t(net::Tokens)>;

  // `file` as in read_accepted_tokens(); `has_tokens`: as it was read at the start. From now on SIGHUP does not end the
  // process; one that comes before start() is remembered.
  TokenReload(asio::io_context& io, std::string file, bool has_tokens);
  void start(Use use);

 private:
  void wait();
  void reload();
  Result<net::Tokens> read() const;

  asio::signal_set hangups_;
  const std::string file_;
  bool has_tokens_;
  Use use_;
};

}  // namespace ontime::master
