#include "apps/exec/framing.h"

#include <stdexcept>

namespace ontime::apps {

Framing::Framing(std::string_view name) {
  constexpr std::string_view kNames[] = {"none", "lines", "nul", "netstring"};
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (name != kNames[i]) continue;
    how_ = static_cast<How>(i);
    return;
  }
  throw std::invalid_argument("framing is none, lines, nul or netstring, not '" + std::string(name) + "'");
}

std::string_view Framing::frame(const app::Batch& batch) {
  if (is_none()) return batch.bytes;
  framed_.clear();
  for (const app::Record record : batch.records()) {
    if (how_ == How::Netstring) framed_ += std::to_string(record.text.size()) + ":";
    framed_ += record.text;
    framed_ += how_ == How::Netstring ? ',' : how_ == How::Nul ? '\0' : '\n';
  }
  return framed_;
}

std::size_t Framing::framed_size(const app::Records::Iterator& record) const {
  if (is_none()) return record.size();
  const std::size_t size = (*record).text.size();
  return how_ == How::Netstring ? std::to_string(size).size() + 1 + size + 1 : size + 1;
}

void Sent::take_back(std::size_t bytes) {
  sent_ -= bytes;
  while (!ends_.empty() && ends_.back().sent > sent_) ends_.pop_back();
}

std::uint64_t Sent::input_end(std::uint64_t read, std::uint64_t known) {
  for (; !ends_.empty() && ends_.front().sent <= read; ends_.pop_front()) known = ends_.front().input;
  return known;
}

}  // namespace ontime::apps
