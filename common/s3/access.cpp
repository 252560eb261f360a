#include "common/s3/access.h"

#include <algorithm>
#include <utility>

#include "common/s3/bucket.h"

namespace ontime::s3 {

using Clock = std::chrono::system_clock;

Access::Access(Environment environment)
    : environment_(std::move(environment)),
      endpoint_(find_endpoint(environment_)),
      pays_(pays_for_requests(environment_)),
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
  Endpoint endpoint = *endpoint_;
  if (const auto region = regions_.find(request.name.root); region != regions_.end() && !region->second.empty()) {
    endpoint.region = region->second;
    if (endpoint.is_amazon) endpoint.host = "s3." + endpoint.region + ".amazonaws.com";
  }
  if (!credentials_->keys) return address_of(endpoint, request);
  Request signed_one = request;
  if (pays_) signed_one.query["x-amz-request-payer"] = "requester";
  return sign(endpoint, *credentials_->keys, signed_one, Clock::now(), kLifetime);
}

bool Access::learn_region(const std::string& root, const std::string& region) const {
  const auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  if (!endpoint_ || region.empty() || !std::all_of(region.begin(), region.end(), is_plain)) return false;
  const std::lock_guard lock(mutex_);
  std::string& known = regions_[root];
  if ((known.empty() ? endpoint_->region : known) == region) return false;
  known = region;
  return true;
}

void Access::find_region(const std::string& root) const {
  if (!endpoint_ || !endpoint_->is_amazon) return;
  {
    const std::lock_guard lock(mutex_);
    if (!regions_.try_emplace(root).second) return;
  }
  static_cast<void>(Bucket(*this, root).list_page("", "", 1));
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
