#include "worker/data/record_reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "common/base/units.h"

namespace ontime::worker {

RecordReader::RecordReader(std::unique_ptr<StoredInput> input, RecordRule rule, std::size_t block_bytes,
                           const InputNotes& notes)
    : input_(std::move(input)),
      rule_(rule),
      source_(make_source(*input_, notes)),
      block_bytes_(block_bytes),
      capacity_(block_bytes),
      buffer_(std::make_unique_for_overwrite<char[]>(block_bytes)) {}

Outcome<std::unique_ptr<RecordReader>> RecordReader::open(InputFile file, RecordRule rule, std::uint64_t begin,
                                                          std::size_t block_bytes, const InputAccess& access) {
  auto input = open_input(std::move(file), access);
  if (!input) return std::move(input).error();
  std::unique_ptr<RecordReader> reader(new RecordReader(std::move(*input), rule, block_bytes, access.notes));
  if (rule.record_bytes > rule.record_bytes_max) return reader->too_long(0);
  if (auto there = reader->go_to(begin); !there) return std::move(there).error();
  return reader;
}

Outcome<void> RecordReader::go_to(std::uint64_t begin) {
  if (begin <= position_) return {};  // no record starts between where it was sent before and where it stands
  const bool fixed = rule_.record_bytes > 0;
  const std::uint64_t behind = fixed ? begin % rule_.record_bytes : 0;
  const std::uint64_t target = fixed ? begin + (behind > 0 ? rule_.record_bytes - behind : 0) : begin - 1;
  if (auto reached = skip_to(target, begin); !reached) return reached;
  if (!fixed) {
    if (auto skipped = skip_line(); !skipped) return skipped;
  }
  position_ = std::max(position_, begin);
  return {};
}

// Drops what lies before `offset`; stops where the input ends.
Outcome<void> RecordReader::skip_to(std::uint64_t offset, std::uint64_t begin) {
  if (const std::uint64_t ahead = offset - position_; ahead <= available()) {
    first_ += static_cast<std::size_t>(ahead);
    position_ = offset;
    return {};
  }
  first_ = last_ = 0;
  auto reached = source_->skip_to(offset, begin);
  if (!reached) return std::move(reached).error();
  position_ = *reached;
  return {};
}

// Drops bytes up to and including the next line feed, in bounded memory.
Outcome<void> RecordReader::skip_line() {
  for (;;) {
    const void* feed = std::memchr(unclaimed(), '\n', available());
    const std::size_t size =
        feed != nullptr ? static_cast<std::size_t>(static_cast<const char*>(feed) - unclaimed()) + 1 : available();
    first_ += size;
    position_ += size;
    if (feed != nullptr || ended_) return {};
    first_ = last_ = 0;
    if (auto filled = fill(position_); !filled) return filled;
  }
}

Outcome<RecordBlock> RecordReader::next(std::uint64_t end) {
  while (position_ < end) {
    if (const std::size_t whole = rule_.record_bytes > 0 ? whole_fixed(end) : whole_lines(end); whole > 0) {
      return take(whole);
    }
    if (ended_) {
      if (available() == 0) break;
      if (rule_.record_bytes == 0) return take(available());
      return Fault{FaultKind::BadRecord, "the last record of " + input_->file().path + ", at byte " +
                                             std::to_string(position_) + ", has " + std::to_string(available()) +
                                             " bytes instead of " + std::to_string(rule_.record_bytes)};
    }
    if (available() > rule_.record_bytes_max) return too_long(position_);
    if (auto filled = fill(end); !filled) return std::move(filled).error();
  }
  return RecordBlock{};
}

// Bytes of the whole lines in the buffer that start before `end`; 0 if not one of them is complete.
std::size_t RecordReader::whole_lines(std::uint64_t end) const {
  const char* const bytes = unclaimed();
  const auto claimable = static_cast<std::size_t>(std::min<std::uint64_t>(available(), end - position_));
  if (claimable == 0) return 0;
  if (end - position_ <= available()) {  // the line of the last byte before `end` is the last one
    const void* feed = std::memchr(bytes + claimable - 1, '\n', available() - claimable + 1);
    if (feed != nullptr) return static_cast<std::size_t>(static_cast<const char*>(feed) - bytes) + 1;
  }
  const void* feed = ::memrchr(bytes, '\n', claimable);
  return feed != nullptr ? static_cast<std::size_t>(static_cast<const char*>(feed) - bytes) + 1 : 0;
}

std::size_t RecordReader::whole_fixed(std::uint64_t end) const {
  const std::uint64_t claimable = (end - position_ - 1) / rule_.record_bytes + 1;
  return static_cast<std::size_t>(std::min<std::uint64_t>(available() / rule_.record_bytes, claimable)) *
         rule_.record_bytes;
}

Outcome<RecordBlock> RecordReader::take(std::size_t size) {
  const std::string_view bytes(unclaimed(), size);
  const bool fixed = rule_.record_bytes > 0;
  if (!fixed && size > rule_.record_bytes_max) {
    if (auto fit = check_lengths(bytes); !fit) return std::move(fit).error();
  }
  RecordBlock block{{bytes, position_}, fixed ? size / rule_.record_bytes : count_lines(bytes)};
  first_ += size;
  position_ += size;
  return block;
}

// Needed only for a block that is longer than a record may be.
Outcome<void> RecordReader::check_lengths(std::string_view lines) const {
  std::size_t begin = 0;
  while (begin < lines.size()) {
    const std::size_t feed = lines.find('\n', begin);
    const std::size_t next = feed == std::string_view::npos ? lines.size() : feed + 1;
    if (next - begin > rule_.record_bytes_max) return too_long(position_ + begin);
    begin = next;
  }
  return {};
}

// Reads at least one more byte, or notices the end. Not far past `end`, and a long record in growing steps, so that
// looking for its end again each time stays cheap.
Outcome<void> RecordReader::fill(std::uint64_t end) {
  constexpr std::size_t kReadBytesMin = 4096;
  make_room();
  const std::uint64_t read_up_to = position_ + available();
  const std::uint64_t to_end = end > read_up_to ? end - read_up_to : 0;
  const std::uint64_t wanted = std::max<std::uint64_t>({to_end, available(), kReadBytesMin});
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(wanted, capacity_ - last_));
  auto got = source_->read(buffer_.get() + last_, size);
  if (!got) return std::move(got).error();
  last_ += *got;
  ended_ = *got < size;
  return {};
}

// The unclaimed bytes move to the front of the buffer, which grows while one record fills it and shrinks afterwards.
void RecordReader::make_room() {
  const std::size_t keep = available();
  std::size_t capacity = block_bytes_;
  while (capacity < keep * 2) capacity *= 2;
  if (capacity > block_bytes_) {
    const std::uint64_t most = std::max<std::uint64_t>(rule_.record_bytes_max, keep) + block_bytes_;
    capacity = static_cast<std::size_t>(std::min<std::uint64_t>(capacity, most));
  }
  if (capacity == capacity_) {
    std::memmove(buffer_.get(), unclaimed(), keep);
  } else {
    auto buffer = std::make_unique_for_overwrite<char[]>(capacity);
    std::memcpy(buffer.get(), unclaimed(), keep);
    buffer_ = std::move(buffer);
    capacity_ = capacity;
  }
  first_ = 0;
  last_ = keep;
}

Outcome<std::uint64_t> RecordReader::align(std::uint64_t at, std::uint64_t end) const {
  if (at >= end) return end;
  if (rule_.record_bytes > 0) {
    const std::uint64_t behind = at % rule_.record_bytes;
    return behind == 0 ? at : std::min(end, at + (rule_.record_bytes - behind));
  }
  if (at == 0 || input_->file().codec != Codec::Plain) return at;
  return align_line(at, end);
}

Outcome<std::uint64_t> RecordReader::align_line(std::uint64_t at, std::uint64_t end) const {
  std::array<char, 8192> bytes;
  for (std::uint64_t offset = at - 1; offset + 1 < end;) {
    auto got = input_->read_at(bytes.data(), bytes.size(), offset);
    if (!got) return std::move(got).error();
    if (*got == 0) break;
    if (const void* feed = std::memchr(bytes.data(), '\n', *got); feed != nullptr) {
      return std::min(end, offset + static_cast<std::uint64_t>(static_cast<const char*>(feed) - bytes.data()) + 1);
    }
    offset += *got;
  }
  return end;
}

Fault RecordReader::too_long(std::uint64_t offset) const {
  return {FaultKind::BadRecord, "the record at byte " + std::to_string(offset) + " of " + input_->file().path +
                                    " is longer than the limit of " + format_size(rule_.record_bytes_max) +
                                    "; raise it with --max-record, or break the record up"};
}

}  // namespace ontime::worker
