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

void Watchdog::guard(httplib::Client* client) {
  const std::lock_guard lock(mutex_);
  client_ = client;
}

// It counts its looks and not the time: a process that was stopped has not waited for the server.
void Watchdog::watch() {
  std::array<std::size_t, kLooks> seen{};  // bytes at the latest looks
  std::unique_lock lock(mutex_);
  for (std::size_t look = 0; !done_.wait_for(lock, silence_ / kLooks, [this] { return is_done_; });) {
    look = client_ == nullptr ? 0 : look + 1;
    const std::size_t bytes = bytes_;
    if (look == 0) seen.fill(bytes);
    const std::size_t recent = bytes - std::exchange(seen[look % kLooks], bytes);
    const std::size_t later_looks = look < kLooks ? 0 : std::min(look - kLooks, kLooks);
    const double least = bytes_per_second_min_ * seconds(silence_) * static_cast<double>(later_looks) / kLooks;
    const bool is_late = look >= kLooks && static_cast<double>(recent) < std::max(least, 1.0);
    if (!is_late && !(is_over_ != nullptr && *is_over_)) continue;
    // Each time: the request may not have been on its way yet.
    has_bitten_ = true;
    if (client_ != nullptr) client_->stop();
  }
}

}  // namespace ontime::http
