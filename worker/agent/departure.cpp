#include "worker/agent/departure.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <string>
#include <utility>

#include "common/base/units.h"
#include "common/log/fields.h"

namespace ontime::worker {

Departure::Departure(asio::any_io_executor executor, Duration patience, Parts parts)
    : patience_(patience), parts_(std::move(parts)), timer_(executor), time_limit_(executor) {}

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
  leave("signal " + std::to_string(signal));
}

// The first signal does not end one that leaves for its time limit: Slurm sends it at about that time.
void Departure::leave(std::string_view reason, Duration patience_max) {
  if (std::exchange(leaves_, true)) return;
  const Duration patience = std::min(patience_, patience_max);
  spdlog::info("worker_leaves reason={} attempts={} drain_timeout={}", log::Quoted{reason},
               parts_.slots.attempt_count(), format_duration(patience));
  if (!parts_.master.is_connected() && !has_something()) return parts_.end();
  if (patience <= Duration::zero()) return give_up();
  parts_.master.leave(*this, false);
  after(patience, [this] { give_up(); });
}

void Departure::leave_before(std::chrono::steady_clock::time_point end, Duration lead) {
  time_limit_.expires_at(end - lead);
  time_limit_.async_wait([this, lead](const asio::error_code& error) {
    if (!error) leave("its time is up", lead - kLastWord);
  });
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
