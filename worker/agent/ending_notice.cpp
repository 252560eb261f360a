#include "worker/agent/ending_notice.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "common/http/url.h"
#include "common/store/access.h"

namespace ontime::worker {

EndingNotice::EndingNotice(std::string place, std::function<void()> on_given)
    : place_(std::move(place)), on_given_(std::move(on_given)) {
  const auto ask = [this](http::Question question) {
    question.is_over = &is_over_;
    return store::network().ask(question);
  };
  if (const auto cloud = cloud_named(place_)) cloud_.emplace(*cloud, metadata_server(*cloud), ask);
  thread_ = std::thread([this] { watch(); });
}

EndingNotice::~EndingNotice() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  ends_.notify_all();
  thread_.join();
}

// What cannot be asked says nothing: a worker works on where there is no such server, or it is away.
bool EndingNotice::is_given() {
  if (cloud_) return cloud_->is_given();
  if (http::is_url(place_)) {
    const http::Patience once{.tries = 1};
    return bool{store::open_file(*http::parse_url(place_), "", &is_over_, once)->look()};
  }
  std::error_code ignored;
  return std::filesystem::exists(place_, ignored);
}

void EndingNotice::watch() {
  while (!is_over_) {
    if (is_given()) return on_given_();
    std::unique_lock lock(mutex_);
    ends_.wait_for(lock, kInterval, [this] { return is_over_.load(); });
  }
}

}  // namespace ontime::worker
