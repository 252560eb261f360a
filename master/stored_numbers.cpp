#include "master/stored_numbers.h"

#include <algorithm>

#include "master/file_system.h"

namespace ontime::master {

StoredNumbers::StoredNumbers(const ReadAt& read, std::uint64_t size, const IndexEffort& effort)
    : read_(read), size_(size), effort_(effort) {}

std::string_view StoredNumbers::bytes(std::uint64_t offset, std::size_t most) {
  if (offset >= size_) return {};
  most = static_cast<std::size_t>(std::min<std::uint64_t>(most, size_ - offset));
  if (offset < begin_ || offset + most > begin_ + length_) {
    if (++reads_ > effort_.reads_max) return {};
    note_progress();
    buffer_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(effort_.read_bytes, size_ - offset)));
    begin_ = offset;
    length_ = read_(buffer_.data(), buffer_.size(), offset);
  }
  const auto at = static_cast<std::size_t>(offset - begin_);
  return {buffer_.data() + at, std::min(most, length_ - at)};
}

std::optional<std::uint64_t> StoredNumbers::number(std::uint64_t offset, std::size_t size) {
  const std::string_view found = bytes(offset, size);
  if (found.size() < size) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(found[i]);
  return value;
}

bool StoredNumbers::will_reach_end(std::uint64_t offset) const {
  constexpr std::uint64_t kReadsThatTell = 8;
  if (reads_ < kReadsThatTell || offset == 0) return true;
  const double share = static_cast<double>(offset) / static_cast<double>(size_);
  return static_cast<double>(reads_) / share <= static_cast<double>(effort_.reads_max);
}

}  // namespace ontime::master
