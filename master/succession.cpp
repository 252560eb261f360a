#include "master/succession.h"

#include <spdlog/spdlog.h>

#include <asio/post.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "common/log/fields.h"
#include "master/follower.h"

namespace ontime::master {

Result<bool> wait_to_lead(asio::io_context& io, journal::SharedJournal& journal, asio::ip::tcp::acceptor& socket,
                          OperatorSignals* signals, net::HostIdentity identity) {
  Follower follower(socket, std::move(identity));
  const auto name_leader = [&](const std::string& address) {
    asio::post(io, [&follower, address] {
      spdlog::info("master_following leader={}", log::Quoted{address.empty() ? "none" : address});
      follower.name_leader(address);
    });
  };
  bool is_told_to_end = false;
  const auto end = [&] {
    is_told_to_end = true;
    journal.stop();
  };
  const auto set_tokens = [&follower](net::Tokens tokens) { return follower.set_tokens(std::move(tokens)); };
  if (signals != nullptr) signals->serve({end, set_tokens});
  std::optional<Status> outcome;
  std::thread leading([&] {
    Status led = journal.lead(name_leader);
    asio::post(io, [&, led = std::move(led)] {
      outcome = led;
      if (signals != nullptr) signals->pause();
      follower.stop();
    });
  });
  follower.start();
  io.run();  // to the end of everything above
  io.restart();
  leading.join();
  if (is_told_to_end) return false;
  if (!*outcome) return outcome->error();
  return true;
}

}  // namespace ontime::master
