#pragma once
// Whole records of one input, in blocks of 128 KiB or less. The record rule: a range [s, e) owns the records that start
// in it; so reading begins at the first record start at or behind s, and the last record is finished even past e. The
// reader does not know ranges: the caller says with every block how far it may claim, and may change its mind between
// blocks. That is how a cut works.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/app/application.h"
#include "common/base/byte_range.h"
#include "common/records/formats.h"
#include "worker/data/fault.h"
#include "worker/data/input_source.h"
#include "worker/data/record_marks.h"

namespace ontime::worker {

struct RecordRule {
  std::shared_ptr<const app::RecordFormat> format = line_format();
  std::uint64_t record_bytes_max = 64u << 20;   // a record with its end may have so many
  std::uint64_t window_bytes_max = 128u << 20;  // and what decompressing may look back at

  static std::shared_ptr<const app::RecordFormat> line_format() { return {std::shared_ptr<void>(), &records::lines()}; }
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
  void offer(StartPoint start) {
    marks_.offer(start);
    source_->offer(std::move(start));
  }

  // Claims the next block of records that start before `end`.
  Outcome<RecordBlock> next(std::uint64_t end);

  // Start of the next record that is not claimed; where the input ends if there is none, but never below `begin`.
  std::uint64_t position() const { return position_; }

  // `at` rounded up to the start of a record, or `end` if none starts before it, or is known to if an attempt that
  // began elsewhere had to read all that lies before. Where that cannot be looked up, in a compressed stream say, `at`
  // itself, which the record rule makes as good a place for a cut.
  Outcome<std::uint64_t> align(std::uint64_t at, std::uint64_t end) const;

  Outcome<void> check_unchanged() { return input_->check_unchanged(); }

  // What the first record of the file says of the others, for formats that have such a thing.
  const std::string& header() const { return header_; }

 private:
  RecordReader(InputFile file, RecordMarks marks, RecordRule rule, std::size_t block_bytes, const InputAccess& access);

  Outcome<void> rewind();
  Outcome<void> read_header(std::uint64_t begin);
  Outcome<void> go_by_marks(std::uint64_t begin);
  Outcome<void> walk_to(std::uint64_t begin);
  Outcome<void> find_begin(std::uint64_t begin);
  Outcome<app::Search> search_from(std::uint64_t begin);
  Outcome<void> skip_to(std::uint64_t offset);
  // With a buffer for at least `room` bytes, as far as records may be long.
  Outcome<void> fill(std::uint64_t end, std::uint64_t room = 0);
  void make_room(std::uint64_t room);
  Outcome<app::WholeRecords> whole(std::uint64_t end) const;
  Outcome<RecordBlock> take(app::WholeRecords whole);
  Outcome<void> pass_marks();
  void drop(std::size_t bytes);
  Outcome<void> check_lengths(std::string_view records) const;
  Outcome<std::uint64_t> look_up(std::uint64_t at, std::uint64_t end) const;
  Fault too_long(std::uint64_t offset) const;
  Fault broken(const std::exception& problem) const;

  const char* unclaimed() const { return buffer_.get() + first_; }
  std::size_t available() const { return last_ - first_; }

  app::Window window() const { return {{unclaimed(), available()}, position_, ended_, rule_.record_bytes_max}; }

  const InputFile file_;
  const RecordRule rule_;
  RecordMarks marks_;
  InputAccess access_;
  std::unique_ptr<StoredInput> input_;
  std::unique_ptr<InputSource> source_;
  std::string header_;
  const std::size_t block_bytes_;
  std::size_t capacity_;
  std::unique_ptr<char[]> buffer_;
  std::size_t first_ = 0;       // first unclaimed byte in buffer_
  std::size_t last_ = 0;        // one past the last byte read
  std::uint64_t position_ = 0;  // of buffer_[first_] in the stream
  bool ended_ = false;          // the source has no more
};

// The records of an attempt's input: one file, or several small ones that share a task and are read one after another.
// Offsets are the task's: they count what the files of a group hold one after another. Each file has a RecordReader of
// its own, so no record crosses a file's end, and one file is open at a time. Where a file begins that follows a
// compressed one is known when that has been read.
struct TaskInput {
  std::vector<InputFile> files;
  std::uint64_t begin = 0;  // offset of the first
};

// What an attempt may read, as InputAccess; the address is the one of the file with this index.
struct TaskInputAccess {
  files::Roots roots{};
  std::function<Outcome<std::string>(std::size_t file)> address{};  // asked for files of stores only
  std::uint64_t end = kUnknownEnd;
  InputNotes notes{};
};

class InputReader {
 public:
  // Stands at the first record that starts at or behind `begin`, which lies in one of the files.
  static Outcome<std::unique_ptr<InputReader>> open(TaskInput input, RecordRule rule, std::uint64_t begin,
                                                    std::size_t block_bytes, TaskInputAccess access);

  // As those of RecordReader.
  Outcome<void> go_to(std::uint64_t begin);
  void offer(StartPoint start) { reader_->offer(std::move(start)); }
  // The records are of one file: file(). Their batch counts in that file.
  Outcome<RecordBlock> next(std::uint64_t end);
  std::uint64_t position() const { return file_begin() + reader_->position(); }
  // In a file that is not open yet, lines are not looked up. A cut may fall inside a line, which then belongs to the
  // part where it begins, as at the border of a split.
  Outcome<std::uint64_t> align(std::uint64_t at, std::uint64_t end) const;

  // Of all files that were read since the last call.
  Outcome<void> check_unchanged();

  const InputFile& file() const { return files_[current_]; }
  const std::string& header() const { return reader_->header(); }
  std::uint64_t file_begin() const { return begins_[current_]; }

 private:
  InputReader(TaskInput input, RecordRule rule, std::size_t block_bytes, TaskInputAccess access);
  void add_begin(std::uint64_t begin);
  std::size_t file_at(std::uint64_t offset) const;  // as far as that is known
  bool knows_end(std::size_t file) const { return file + 1 == files_.size() || file + 1 < begins_.size(); }
  std::uint64_t end_of(std::size_t file) const;  // of the last one, and if it is not known: kUnknownEnd
  Outcome<void> open_at(std::uint64_t begin);
  Outcome<void> open_file(std::size_t file, std::uint64_t begin);

  const std::vector<InputFile> files_;
  std::vector<std::uint64_t> begins_;  // of the files, as far as known
  const RecordRule rule_;
  const std::size_t block_bytes_;
  const TaskInputAccess access_;
  std::size_t current_ = 0;
  std::unique_ptr<RecordReader> reader_;  // of the current file
  bool is_checked_ = true;                // nothing was read of it since
};

}  // namespace ontime::worker
