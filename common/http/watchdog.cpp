#include "common/http/watchdog.h"

#include <httplib.h>

#include <algorithm>
#include <array>
#include <utility>

namespace ontime::http {
namespace {

constexpr std::size_t kLooks = 8;  // in each silence

}  // namespace

Watchdog::Watchdog(Duration silence, double bytes_per_second_min, const std::atomic<bool>* is_over)
    : silence_(silence), bytes_per_second_min_(bytes_per_second_min), is_over_(is_over), thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
  const std::lock_guard lock(mutex_);
  is_done_ = true;
  done_.notify_all();
}

void Watchdog::set(httplib::ClientImpl* client, bool is_timed) {
  const std::lock_guard lock(mutex_);
  client_ = client;
  is_timed_ = is_timed;
}

// It counts its looks and not the time: a process that was stopped has not waited for the server.
struct Watchdog::Looks {
  std::size_t count = 0;
  std::array<std::size_t, kLooks> seen{};  // bytes at the latest ones
};

bool Watchdog::is_late(Looks& looks) const {
  looks.count = client_ == nullptr || !is_timed_ ? 0 : looks.count + 1;
  const std::size_t bytes = bytes_;
  if (looks.count == 0) looks.seen.fill(bytes);
  const std::size_t recent = bytes - std::exchange(looks.seen[looks.count % kLooks], bytes);
  const std::size_t later_looks = looks.count < kLooks ? 0 : std::min(looks.count - kLooks, kLooks);
  const double least = bytes_per_second_min_ * seconds(silence_) * static_cast<double>(later_looks) / kLooks;
  return looks.count >= kLooks && static_cast<double>(recent) < std::max(least, 1.0);
}

// It glances at `is_over` at least once in each kGlance, and looks at the bytes kLooks times in each silence.
void Watchdog::watch() {
  const Duration between_looks = silence_ / kLooks;
  const auto glances_per_look = between_looks / kGlance + 1;
  Looks looks;
  std::unique_lock lock(mutex_);
  for (auto glances = glances_per_look;
       !done_.wait_for(lock, between_looks / glances_per_look, [this] { return is_done_; });) {
    const bool is_look = --glances == 0;
    if (is_look) glances = glances_per_look;
    const bool is_over = is_over_ != nullptr && *is_over_;
    if (!(is_look && is_late(looks)) && !is_over) continue;
    // Each time: the request may not have been on its way yet.
    has_bitten_ = true;
    if (client_ != nullptr) client_->stop();
  }
}

}  // namespace ontime::http
