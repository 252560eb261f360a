#include "common/http/sink.h"

#include <algorithm>

namespace ontime::http {

std::span<char> TextSink::room() {
  constexpr std::size_t kPieceBytes = 4u << 10;
  piece_.resize(std::min(bytes_max_ - text_.size(), kPieceBytes));
  return piece_;
}

std::span<char> CountedSink::room() {
  if (added_ == bytes_max_) return {};
  const std::span<char> room = sink_.room();
  return room.first(static_cast<std::size_t>(std::min<std::uint64_t>(room.size(), bytes_max_ - added_)));
}

void CountedSink::add(std::size_t size) {
  sink_.add(size);
  added_ += size;
}

}  // namespace ontime::http
