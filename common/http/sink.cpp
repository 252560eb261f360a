#include "common/http/sink.h"

#include <algorithm>

#include "common/http/connection.h"
#include "common/http/watchdog.h"

namespace ontime::http {

bool put(Sink& sink, const char* bytes, std::size_t size) {
  while (size > 0) {
    const std::span<char> room = sink.room();
    if (room.empty()) return false;
    const std::size_t count = std::min(size, room.size());
    std::copy_n(bytes, count, room.data());
    sink.add(count);
    bytes += count;
    size -= count;
  }
  return true;
}

std::span<char> TextSink::room() {
  constexpr std::size_t kPieceBytes = 4u << 10;
  piece_.resize(std::min(bytes_max_ - text_.size(), kPieceBytes));
  return piece_;
}

std::span<char> CountedSink::room() {
  if (added_ == bytes_max_) return {};
  const std::span<char> room = sink_.room();
  is_full_ = room.empty();
  return room.first(static_cast<std::size_t>(std::min<std::uint64_t>(room.size(), bytes_max_ - added_)));
}

void CountedSink::add(std::size_t size) {
  sink_.add(size);
  added_ += size;
}

std::span<char> GuardedSink::room() {
  if (connection_.is_over()) return {};
  watchdog_.guard(nullptr);
  const std::span<char> room = CountedSink::room();
  watchdog_.guard(&client_);
  return room;
}

void GuardedSink::add(std::size_t size) {
  watchdog_.add(size);
  CountedSink::add(size);
}

}  // namespace ontime::http
