#pragma once
// Whole records of one input, in blocks of 128 KiB or less. The record rule: a range [s, e) owns the records that start
// in it; so reading begins at the first record start at or behind s, and the last record is finished even past e. The
// reader does not know ranges: the caller says with every block how far it may claim, and may change its mind between
// blocks. That is how a cut works.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "common/app/batch.h"
#include "worker/data/fault.h"
#include "worker/data/input_source.h"

namespace ontime::worker {

// How many lines begin in `bytes`, which begins at the start of one; the last may lack its end. As fast as memory when
// the processor has AVX2.
std::uint64_t count_lines(std::string_view bytes);

// The portable way, for processors without AVX2; same value.
std::uint64_t count_feeds_portable(std::string_view bytes);

struct RecordRule {
  std::uint32_t record_bytes = 0;              // 0: lines; otherwise every record has this size
  std::uint64_t record_bytes_max = 64u << 20;  // a record with its end may have so many
};

// Empty when no unclaimed record starts before the given end.
struct RecordBlock {
  app::Batch batch;  // valid until the reader is asked again
  std::uint64_t records = 0;
};

class RecordReader {
 public:
  static constexpr std::size_t kBlockBytes = 128 << 10;

  // Stands at the first record that starts at or behind `begin`. `block_bytes` is smaller in tests only.
  // `access` is kept for as long as the file is open.
  static Outcome<std::unique_ptr<RecordReader>> open(InputFile file, RecordRule rule, std::uint64_t begin,
                                                     std::size_t block_bytes = kBlockBytes,
                                                     const InputAccess& access = {});

  // Goes on to the first record that starts at or behind `begin`, without claiming what lies before; never back.
  Outcome<void> go_to(std::uint64_t begin);
  // A place in a compressed file from which the next go_to may begin.
  void offer(StartPoint start) { source_->offer(std::move(start)); }

  // Claims the next block of records that start before `end`.
  Outcome<RecordBlock> next(std::uint64_t end);

  // Start of the next record that is not claimed; where the input ends if there is none, but never below `begin`.
  std::uint64_t position() const { return position_; }

  // `at` rounded up to the start of a record, or `end` if none starts before it. Lines of a compressed stream cannot be
  // looked up: `at` itself is returned, which the record rule makes as good a place for a cut.
  Outcome<std::uint64_t> align(std::uint64_t at, std::uint64_t end) const;

  Outcome<void> check_unchanged() { return input_->check_unchanged(); }

 private:
  RecordReader(std::unique_ptr<StoredInput> input, RecordRule rule, std::size_t block_bytes, const InputNotes& notes);

  Outcome<void> skip_to(std::uint64_t offset, std::uint64_t begin);
  Outcome<void> skip_line();
  Outcome<void> fill(std::uint64_t end);
  void make_room();
  std::size_t whole_lines(std::uint64_t end) const;
  std::size_t whole_fixed(std::uint64_t end) const;
  Outcome<RecordBlock> take(std::size_t size);
  Outcome<void> check_lengths(std::string_view lines) const;
  Outcome<std::uint64_t> align_line(std::uint64_t at, std::uint64_t end) const;
  Fault too_long(std::uint64_t offset) const;

  const char* unclaimed() const { return buffer_.get() + first_; }
  std::size_t available() const { return last_ - first_; }

  const std::unique_ptr<StoredInput> input_;
  RecordRule rule_;
  std::unique_ptr<InputSource> source_;
  const std::size_t block_bytes_;
  std::size_t capacity_;
  std::unique_ptr<char[]> buffer_;
  std::size_t first_ = 0;       // first unclaimed byte in buffer_
  std::size_t last_ = 0;        // one past the last byte read
  std::uint64_t position_ = 0;  // of buffer_[first_] in the stream
  bool ended_ = false;          // the source has no more
};

}  // namespace ontime::worker
