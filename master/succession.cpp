#include "master/succession.h"

#include <spdlog/spdlog.h>

#include <asio/post.hpp>
#include <asio/signal_set.hpp>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "common/log/fields.h"
#include "master/follower.h"

namespace ontime::master {

std::function<void()> watch_signals(asio::io_context& io, std::function<void()> on_told_to_end) {
  const auto signals = std::make_shared<asio::signal_set>(io, SIGTERM, SIGINT);
  signals->async_wait([on_told_to_end = std::move(on_told_to_end)](const asio::error_code& error, int signal) {
    if (error) return;
    spdlog::info("master_stopping signal={}", signal);
    on_told_to_end();
  });
  return [signals] { signals->cancel(); };
}

Result<bool> wait_to_lead(asio::io_context& io, journal::SharedJournal& journal, asio::ip::tcp::acceptor& socket,
                          net::HostIdentity identity, const WatchEnd& watch_end) {
  Follower follower(socket, std::move(identity));
  const auto name_leader = [&](const std::string& address) {
    asio::post(io, [&follower, address] {
      spdlog::info("master_following leader={}", log::Quoted{address.empty() ? "none" : address});
      follower.name_leader(address);
    });
  };
  bool is_told_to_end = false;
  const std::function<void()> end_watch = watch_end(io, [&] {
    is_told_to_end = true;
    journal.stop();
  });
  std::optional<Status> outcome;
  std::thread leading([&] {
    Status led = journal.lead(name_leader);
    asio::post(io, [&, led = std::move(led)] {
      outcome = led;
      end_watch();
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
