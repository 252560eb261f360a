#include "common/s3/access.h"

#include <algorithm>
#include <utility>

namespace ontime::s3 {

using Clock = std::chrono::system_clock;

Access::Access(Environment environment)
    : environment_(std::move(environment)),
      endpoint_(find_endpoint(environment_)),
      credentials_(find_credentials(environment_)) {
  // Keys in the environment stay what they are.
  if (environment_("AWS_ACCESS_KEY_ID").empty()) renewing_ = std::thread([this] { keep_renewing(); });
}

Access::~Access() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    over_.notify_all();
  }
  if (renewing_.joinable()) renewing_.join();
}

// Never destroyed: at the end of the process its thread may wait for a server.
Access& Access::of_process() {
  static Access* const access = new Access();
  return *access;
}

Result<http::Url> Access::address(const Request& request) const {
  if (!endpoint_) return endpoint_.error();
  const std::lock_guard lock(mutex_);
  if (!credentials_) return credentials_.error();
  if (!credentials_->keys) return address_of(*endpoint_, request);
  return sign(*endpoint_, *credentials_->keys, request, Clock::now(), kLifetime);
}

// Files are looked at each half a minute, as somebody may have put other keys there. What expires is renewed while it
// is still good for longer than an address is.
std::chrono::seconds Access::until_renewal() const {
  constexpr std::chrono::seconds kSoon(30);
  if (!credentials_ || !credentials_->expire) return kSoon;
  const auto left = std::chrono::duration_cast<std::chrono::seconds>(*credentials_->expire - Clock::now());
  return std::max(kSoon, left - 2 * kLifetime);
}

void Access::keep_renewing() {
  std::unique_lock lock(mutex_);
  while (!over_.wait_for(lock, until_renewal(), [this] { return is_over_; })) {
    lock.unlock();
    Result<Credentials> renewed = find_credentials(environment_);
    lock.lock();
    const bool are_good = credentials_ && (!credentials_->expire || *credentials_->expire > Clock::now());
    if (renewed || !are_good) credentials_ = std::move(renewed);
  }
}

}  // namespace ontime::s3
