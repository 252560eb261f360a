#include "worker/agent/departure.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "common/base/units.h"

namespace ontime::worker {

Departure::Departure(asio::any_io_executor executor, Duration patience, Parts parts)
    : patience_(patience), parts_(std::move(parts)), timer_(std::move(executor)) {}

template <class Then>
void Departure::after(Duration pause, Then then) {
  timer_.expires_after(pause);
  timer_.async_wait([then](const asio::error_code& error) {
    if (!error) then();
  });
}

void Departure::on_told_to_end(int signal) {
  if (std::exchange(is_told_, true)) {
    spdlog::warn("worker_ends_at_once signal={} attempts={}", signal, parts_.slots.attempt_count());
    return parts_.end();
  }
  spdlog::info("worker_leaves signal={} attempts={} drain_timeout={}", signal, parts_.slots.attempt_count(),
               format_duration(patience_));
  if (!parts_.master.is_connected() && !has_something()) return parts_.end();
  if (patience_ <= Duration::zero()) return give_up();
  parts_.master.leave(*this, false);
  after(patience_, [this] { give_up(); });
}

void Departure::give_up() {
  has_given_up_ = true;
  if (has_something()) {
    spdlog::warn("worker_gives_up attempts={} reports={}", parts_.slots.attempt_count(),
                 parts_.reports.unacknowledged().size());
  }
  if (!parts_.master.is_connected()) return parts_.end();
  parts_.master.leave(*this, true);
  after(kLastWord, parts_.end);
}

void Departure::on_released() {
  spdlog::info("worker_released");
  parts_.end();
}

// Without a master, a worker that has nothing to hand over ends at once.
void Departure::on_session_over() {
  if (has_given_up_ || !has_something()) parts_.end();
}

}  // namespace ontime::worker
