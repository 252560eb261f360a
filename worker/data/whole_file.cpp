#include "worker/data/whole_file.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/store/access.h"

namespace ontime::worker {

WholeFile::WholeFile(const http::Url& url, const http::State& state)
    : fetching_([this, url, state] { fetch(url, state); }) {}

WholeFile::~WholeFile() {
  const std::lock_guard lock(mutex_);
  is_over_ = true;
  changed_.notify_all();
}

void WholeFile::fetch(const http::Url& url, const http::State& state) {
  const auto file = store::open_file(url, "", &is_over_, http::kAttemptPatience);
  auto done = file->read_whole(state, [this](std::string_view bytes) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_over_ || ahead_.size() < kAheadBytes; });
    if (ahead_.empty()) changed_.notify_all();
    ahead_ += bytes;
    return !is_over_;
  });
  const std::lock_guard lock(mutex_);
  if (!done) failure_ = std::move(done).error();
  is_all_there_ = true;
  changed_.notify_all();
}

http::Answer<std::size_t> WholeFile::read(char* to, std::size_t size) {
  if (begin_ == current_.size()) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !ahead_.empty() || is_all_there_; });
    if (ahead_.empty() && failure_) return *failure_;
    current_.clear();
    std::swap(current_, ahead_);
    begin_ = 0;
    changed_.notify_all();
  }
  size = std::min(size, current_.size() - begin_);
  std::copy_n(current_.data() + begin_, size, to);
  begin_ += size;
  offset_ += size;
  return size;
}

}  // namespace ontime::worker
