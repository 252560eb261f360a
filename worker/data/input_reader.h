#pragma once
// The records of an attempt's input: one file, or several small ones that share a task and are read one after another.
// Offsets are the task's: they count the files of a group one after another. Each file has a RecordReader of its own,
// so no record crosses a file's end, and one file is open at a time.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/byte_range.h"
#include "worker/data/record_reader.h"

namespace ontime::worker {

struct TaskInput {
  std::vector<InputFile> files;  // more than one only if they are plain
  std::uint64_t begin = 0;       // offset of the first
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
  // In a file that is not open yet, lines are not looked up either: a cut may stand inside a line, which then belongs to
  // the part where it begins, as at the border of a split.
  Outcome<std::uint64_t> align(std::uint64_t at, std::uint64_t end) const;

  // Of all files that were read since the last call.
  Outcome<void> check_unchanged();

  const InputFile& file() const { return files_[current_]; }
  std::uint64_t file_begin() const { return begins_[current_]; }

 private:
  InputReader(TaskInput input, RecordRule rule, std::size_t block_bytes, TaskInputAccess access);
  std::size_t file_at(std::uint64_t offset) const;
  std::uint64_t end_of(std::size_t file) const;  // of the last one: kUnknownEnd
  Outcome<void> open_file(std::size_t file, std::uint64_t begin);

  const std::vector<InputFile> files_;
  std::vector<std::uint64_t> begins_;  // of the files
  const RecordRule rule_;
  const std::size_t block_bytes_;
  const TaskInputAccess access_;
  std::size_t current_ = 0;
  std::unique_ptr<RecordReader> reader_;  // of the current file
  bool is_checked_ = true;                // nothing was read of it since
};

}  // namespace ontime::worker
