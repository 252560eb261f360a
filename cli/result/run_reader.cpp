#include "cli/result/run_reader.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "common/base/crc32c.h"

namespace ontime::cli {
Status RunTournament::begin() {
  for (Run& run : runs_)
    if (auto status = advance(run); !status) return status;
  losers_.assign(runs_.size(), 0);
  if (!runs_.empty()) winner_ = play(1);
  return {};
}

// Leaves are the nodes runs_.size() to 2 * runs_.size() - 1. Depth is log2 of their number.
std::size_t RunTournament::play(std::size_t node) {
  if (node >= runs_.size()) return node - runs_.size();
  std::size_t winner = play(2 * node);
  std::size_t loser = play(2 * node + 1);
  if (is_before(loser, winner)) std::swap(winner, loser);
  losers_[node] = loser;
  return winner;
}

Status RunTournament::next() {
  if (auto status = advance(runs_[winner_]); !status) return status;
  for (std::size_t node = (winner_ + runs_.size()) / 2; node > 0; node /= 2)
    if (is_before(losers_[node], winner_)) std::swap(losers_[node], winner_);
  return {};
}

Status RunTournament::advance(Run& run) {
  const auto there = run.reader.advance();
  if (!there) return there.error();
  run.is_over = !*there;
  if (run.is_over && run.reader.checksum() != run.checksum)
    return failed("what is to be sorted has changed while it was read");
  if (!run.is_over) run.rank = order_.rank(run.reader.record());
  return {};
}

bool RunTournament::is_before(std::size_t a, std::size_t b) const {
  const Run& left = runs_[a];
  const Run& right = runs_[b];
  if (left.is_over || right.is_over) return !left.is_over;
  if (left.rank != right.rank) return left.rank < right.rank;
  return order_.is_before(left.reader.record(), right.reader.record());
}

RunReader::RunReader(int descriptor, std::uint64_t begin, std::uint64_t end, app::RecordBytes record_bytes,
                     std::size_t block_bytes, OnRead on_read)
    : descriptor_(descriptor),
      next_read_(begin),
      end_of_run_(end),
      record_bytes_(record_bytes),
      block_bytes_(block_bytes),
      offset_(begin),
      on_read_(std::move(on_read)) {}

Result<bool> RunReader::advance() {
  checksum_ = crc32c(checksum_, buffer_.data() + begin_, whole_);
  offset_ += whole_;
  begin_ += whole_;
  whole_ = size_ = 0;
  if (record_bytes_ > 0) {
    while (end_ - begin_ < record_bytes_ && next_read_ < end_of_run_)
      if (auto status = fill(); !status) return status.error();
    if (end_ == begin_) return false;
    if (end_ - begin_ < record_bytes_) return failed("a part file ends in the middle of a record");
    whole_ = size_ = record_bytes_;
    return true;
  }
  for (std::size_t searched = 0;;) {
    const void* feed = end_ - begin_ > searched
                           ? std::memchr(buffer_.data() + begin_ + searched, '\n', end_ - begin_ - searched)
                           : nullptr;
    if (feed != nullptr) {
      size_ = static_cast<std::size_t>(static_cast<const char*>(feed) - buffer_.data()) - begin_;
      whole_ = size_ + 1;
      return true;
    }
    searched = end_ - begin_;
    if (next_read_ == end_of_run_) break;
    if (auto status = fill(); !status) return status.error();
  }
  whole_ = size_ = end_ - begin_;
  return whole_ > 0;
}

// Reads more behind end_, from next_read_ on.
Status RunReader::fill() {
  if (begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (buffer_.size() - end_ < block_bytes_) buffer_.resize(std::max(end_ + block_bytes_, 2 * end_));
  const auto wanted = std::min<std::uint64_t>(buffer_.size() - end_, end_of_run_ - next_read_);
  ssize_t got = 0;
  do got = pread(descriptor_, buffer_.data() + end_, wanted, static_cast<off_t>(next_read_));
  while (got < 0 && errno == EINTR);
  if (got < 0) return failed(std::string("cannot read what is to be sorted: ") + std::strerror(errno));
  if (got == 0) return failed("what is to be sorted has become shorter while it was read");
  const std::string_view bytes(buffer_.data() + end_, static_cast<std::size_t>(got));
  end_ += bytes.size();
  next_read_ += bytes.size();
  return on_read_ ? on_read_(bytes) : Status();
}

}  // namespace ontime::cli
