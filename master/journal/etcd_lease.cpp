#include "master/journal/etcd_lease.h"

#include <algorithm>
#include <utility>

namespace ontime::journal {
namespace {

constexpr int kRenewals = 4;  // in the length of a lease
constexpr Duration kRenewalPause = std::chrono::milliseconds(50);
constexpr Duration kSilenceMost = std::chrono::milliseconds(1500);  // of a member

}  // namespace

EtcdLease::EtcdLease(const EtcdAccess& access, Duration length, std::function<void(const std::string&)> on_end)
    : access_(access), length_(length), on_end_(std::move(on_end)) {
  renewer_ = std::thread([this] { renew(); });
  watcher_ = std::thread([this] { await_ends(); });
}

EtcdLease::~EtcdLease() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  renewer_.join();
  watcher_.join();
  const std::int64_t live = id();
  if (live == 0) return;
  const std::atomic<bool> never{false};
  static_cast<void>(EtcdClient(access_, silence(), &never).revoke_lease(live));
}

EtcdResult<void> EtcdLease::begin(EtcdClient& client) {
  const EtcdResult<std::int64_t> granted = client.grant_lease(length_);
  if (!granted) return granted.error();
  {
    const std::lock_guard lock(mutex_);
    id_ = *granted;
    end_ = client.sent_at() + usable();
    renew_at_ = client.sent_at() + length_ / kRenewals;
    trouble_.clear();
  }
  changed_.notify_all();
  return {};
}

std::int64_t EtcdLease::id() const {
  const std::lock_guard lock(mutex_);
  return Clock::now() < end_ ? id_ : 0;
}

void EtcdLease::give_up(const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    trouble_ = why;
    end_ = {};
  }
  changed_.notify_all();
}

Duration EtcdLease::silence() const { return std::min(length_ / kRenewals, kSilenceMost); }

void EtcdLease::renew() {
  EtcdClient client(access_, silence(), &is_ending_);
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    const std::int64_t lease = id_;
    if (lease == 0) {
      changed_.wait(lock, [&] { return is_ending_ || id_ != 0; });
      continue;
    }
    if (changed_.wait_until(lock, renew_at_, [&] { return is_ending_ || id_ != lease; })) continue;
    lock.unlock();
    const EtcdResult<void> renewed = client.renew_lease(lease);
    lock.lock();
    if (id_ != lease) continue;
    renew_at_ = Clock::now() + kRenewalPause;
    if (renewed) {
      renew_at_ = client.sent_at() + length_ / kRenewals;
      if (end_ != Clock::time_point()) end_ = client.sent_at() + usable();
    } else {
      trouble_ = renewed.error().message;
      if (renewed.error().kind == EtcdError::Kind::NotFound) end_ = {};
    }
    changed_.notify_all();
  }
}

void EtcdLease::await_ends() {
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    if (id_ == 0) {
      changed_.wait(lock, [&] { return is_ending_ || id_ != 0; });
    } else if (Clock::now() < end_) {
      changed_.wait_until(lock, end_);
    } else {
      id_ = 0;
      const std::string why = trouble_.empty() ? "the lease was not renewed in time" : trouble_;
      lock.unlock();
      on_end_(why);
      lock.lock();
    }
  }
}

}  // namespace ontime::journal
