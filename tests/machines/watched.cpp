#include "tests/machines/watched.h"

#include <signal.h>
#include <sys/signalfd.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace ontime::lab::machines {

OpenFile::~OpenFile() = default;

Held::~Held() {
  if (!file_ || --file_->holders_ > 0) return;
  file_->is_closed_ = true;
  file_->on_closed();
  file_->change();
}

void OpenFile::change() {
  changed.wake_all();
  std::erase_if(watchers, [](const auto& weak) { return weak.expired(); });
  for (std::size_t i = 0; i < watchers.size(); ++i) {
    if (const auto epoll = watchers[i].lock()) epoll->on_change(*this);
  }
}

int Epoll::control(int operation, int descriptor, const FilePointer& file, const epoll_event* event) {
  if (!file->can_be_watched()) return -EPERM;
  const Key key{file.get(), descriptor};
  const auto found = watched_.find(key);
  if (operation == EPOLL_CTL_DEL) {
    if (found == watched_.end()) return -ENOENT;
    watched_.erase(found);
    return 0;
  }
  if (operation == EPOLL_CTL_ADD) {
    if (found != watched_.end() && !found->second.file.expired()) return -EEXIST;
    file->watchers.push_back(std::static_pointer_cast<Epoll>(shared_from_this()));
  } else if (found == watched_.end()) {
    return -ENOENT;
  }
  Watched& watched = watched_[key];
  watched.file = file;
  watched.wanted = *event;
  list(key, watched);
  change();
  return 0;
}

void Epoll::list(const Key& key, Watched& watched) {
  if (std::exchange(watched.is_listed, true)) return;
  listed_.push_back(key);
}

void Epoll::on_change(OpenFile& file) {
  bool is_new = false;
  for (auto at = watched_.lower_bound({&file, 0}); at != watched_.end() && at->first.first == &file; ++at) {
    list(at->first, at->second);
    is_new = true;
  }
  if (is_new) change();
}

std::uint32_t Epoll::events() { return listed_.empty() ? 0u : EPOLLIN; }

// What is listed and has no event is taken off the list. Edge-triggered: told once for each change.
int Epoll::collect(epoll_event* to, int count) {
  int found = 0;
  std::vector<Key> again;
  while (!listed_.empty() && found < count) {
    const Key key = listed_.front();
    listed_.pop_front();
    const auto at = watched_.find(key);
    if (at == watched_.end()) continue;
    Watched& watched = at->second;
    watched.is_listed = false;
    const FilePointer file = watched.file.lock();
    if (!file || file->is_closed()) {
      watched_.erase(at);
      continue;
    }
    const std::uint32_t happened = file->events() & (watched.wanted.events | EPOLLERR | EPOLLHUP);
    if (happened == 0) continue;
    to[found] = {happened, watched.wanted.data};
    ++found;
    if ((watched.wanted.events & EPOLLET) == 0) again.push_back(key);
  }
  for (const Key& key : again) list(key, watched_.at(key));
  return found;
}

ssize_t EventCounter::read(void* to, std::size_t size) {
  if (size < sizeof count_) return -EINVAL;
  if (count_ == 0) return -EAGAIN;
  const std::uint64_t count = std::exchange(count_, 0);
  std::memcpy(to, &count, sizeof count);
  return sizeof count;
}

ssize_t EventCounter::write(const void* from, std::size_t size) {
  std::uint64_t more = 0;
  if (size < sizeof more) return -EINVAL;
  std::memcpy(&more, from, sizeof more);
  count_ += more;
  change();
  return sizeof more;
}

void TimerFile::set(TimePoint expiry, Duration every) {
  ++generation_;
  expirations_ = 0;
  expiry_ = expiry;
  every_ = every;
  arm();
}

void TimerFile::arm() {
  if (expiry_ == kNever) return;
  world_.at(expiry_, [weak = weak_from_this(), this, generation = generation_] {
    const auto self = weak.lock();
    if (!self || generation_ != generation) return;
    ++expirations_;
    expiry_ = every_ > Duration(0) ? expiry_ + every_ : kNever;
    arm();
    change();
  });
}

ssize_t TimerFile::read(void* to, std::size_t size) {
  if (size < sizeof expirations_) return -EINVAL;
  if (expirations_ == 0) return -EAGAIN;
  const std::uint64_t count = std::exchange(expirations_, 0);
  std::memcpy(to, &count, sizeof count);
  return sizeof count;
}

std::uint32_t SignalFile::events() { return process_.pending_children > 0 || process_.is_told_to_end ? EPOLLIN : 0u; }

ssize_t SignalFile::read(void* to, std::size_t size) {
  signalfd_siginfo info{};
  if (size < sizeof info) return -EINVAL;
  if (std::exchange(process_.is_told_to_end, false)) {
    info.ssi_signo = SIGTERM;
  } else if (std::exchange(process_.pending_children, 0) > 0) {
    info.ssi_signo = SIGCHLD;
  } else {
    return -EAGAIN;
  }
  std::memcpy(to, &info, sizeof info);
  return sizeof info;
}

std::uint32_t ProcessFile::events() {
  const Process* const process = cluster_.process(id_);
  return process == nullptr || process->is_over() ? EPOLLIN : 0u;
}

int SharedMemory::resize(std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  if (at != nullptr) return -EPERM;
  at = std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage);
  std::memset(at, 0, bytes);
  size = bytes;
  return 0;
}

}  // namespace ontime::lab::machines
