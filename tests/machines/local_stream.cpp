#include <algorithm>
#include <cstring>
#include <utility>

#include "tests/machines/network.h"

namespace ontime::lab::machines {

void Inbox::append(const char* from, std::size_t size) {
  if (begin_ > bytes_.size() / 2) {
    bytes_.erase(0, begin_);
    begin_ = 0;
  }
  bytes_.append(from, size);
}

std::size_t Inbox::take(char* to, std::size_t size, bool only_looks) {
  const std::size_t count = std::min({size, this->size(), until_attached()});
  std::memcpy(to, bytes_.data() + begin_, count);
  if (only_looks) return count;
  begin_ += count;
  taken_ += count;
  return count;
}

void Inbox::attach(std::vector<Held> files) { attached_.emplace_back(taken_ + size(), std::move(files)); }

std::vector<Held> Inbox::detach() {
  if (attached_.empty() || attached_.front().first > taken_) return {};
  auto files = std::move(attached_.front().second);
  attached_.pop_front();
  return files;
}

std::size_t Inbox::until_attached() const {
  for (const auto& [position, files] : attached_) {
    if (position > taken_) return static_cast<std::size_t>(position - taken_);
  }
  return size();
}

std::pair<FilePointer, FilePointer> LocalEnd::make_pair(mode_t kind) {
  const std::shared_ptr<LocalEnd> one(new LocalEnd(kind));
  const std::shared_ptr<LocalEnd> other(new LocalEnd(kind));
  one->peer_ = other;
  other->peer_ = one;
  return {one, other};
}

std::shared_ptr<LocalEnd> LocalEnd::peer() const {
  const auto peer = peer_.lock();
  return peer && !peer->is_closed() ? peer : nullptr;
}

void LocalEnd::shut_down_writing() {
  const auto peer = this->peer();
  if (!peer || peer->is_at_end_) return;
  peer->is_at_end_ = true;
  peer->change();
}

ssize_t LocalEnd::write(const void* from, std::size_t size) {
  const auto peer = this->peer();
  if (!peer) return -EPIPE;
  const std::size_t room = kBytesMax - std::min(kBytesMax, peer->inbox_.size());
  if (room == 0) return -EAGAIN;
  const std::size_t count = std::min(size, room);
  peer->inbox_.append(static_cast<const char*>(from), count);
  peer->change();
  return static_cast<ssize_t>(count);
}

void LocalEnd::attach(std::vector<Held> files) {
  if (const auto peer = this->peer()) peer->inbox_.attach(std::move(files));
}

ssize_t LocalEnd::receive(void* to, std::size_t size, bool only_looks) {
  if (inbox_.size() == 0) return is_at_end_ || !peer() ? 0 : -EAGAIN;
  const std::size_t count = inbox_.take(static_cast<char*>(to), size, only_looks);
  if (const auto peer = this->peer()) peer->change();
  return static_cast<ssize_t>(count);
}

std::uint32_t LocalEnd::events() {
  const auto peer = this->peer();
  std::uint32_t events = 0;
  if (inbox_.size() > 0 || is_at_end_ || !peer) events |= EPOLLIN;
  if (!peer) events |= EPOLLHUP | EPOLLRDHUP;
  if (is_at_end_) events |= EPOLLRDHUP;
  if (!peer || peer->inbox_.size() < kBytesMax) events |= EPOLLOUT;
  return events;
}

}  // namespace ontime::lab::machines
