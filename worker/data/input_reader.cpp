#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "common/store/name.h"
#include "worker/data/record_reader.h"

namespace ontime::worker {
namespace {

// The last record of a range goes on behind its end, probably not farther than that: two of the reader's least reads.
constexpr std::uint64_t kLastRecordBytes = 8u << 10;

}  // namespace

InputReader::InputReader(TaskInput input, RecordRule rule, std::size_t block_bytes, TaskInputAccess access)
    : files_(std::move(input.files)), rule_(rule), block_bytes_(block_bytes), access_(std::move(access)) {
  ONTIME_CHECK(!files_.empty(), "an attempt has an input");
  add_begin(input.begin);
}

// Of the next file, and of those behind as far as it is known how much files hold.
void InputReader::add_begin(std::uint64_t begin) {
  begins_.push_back(begin);
  while (begins_.size() < files_.size() && files_[begins_.size() - 1].length() > 0)
    begins_.push_back(begins_.back() + files_[begins_.size() - 1].length());
}

Outcome<std::unique_ptr<InputReader>> InputReader::open(TaskInput input, RecordRule rule, std::uint64_t begin,
                                                        std::size_t block_bytes, TaskInputAccess access) {
  std::unique_ptr<InputReader> reader(new InputReader(std::move(input), rule, block_bytes, std::move(access)));
  if (auto opened = reader->open_at(begin); !opened) return std::move(opened).error();
  if (auto there = reader->go_to(begin); !there) return std::move(there).error();
  return reader;
}

// The file that `begin` lies in as far as is known.
Outcome<void> InputReader::open_at(std::uint64_t begin) {
  const std::size_t file = file_at(begin);
  return open_file(file, knows_end(file) ? begin : begins_[file]);
}

std::size_t InputReader::file_at(std::uint64_t offset) const {
  const auto behind = std::upper_bound(begins_.begin() + 1, begins_.end(), offset);
  return static_cast<std::size_t>(behind - begins_.begin()) - 1;
}

std::uint64_t InputReader::end_of(std::size_t file) const {
  return file + 1 < begins_.size() ? begins_[file + 1] : kUnknownEnd;
}

// A file that is left is not read again, so it is compared now and not when the segment is sealed.
Outcome<void> InputReader::open_file(std::size_t file, std::uint64_t begin) {
  if (!is_checked_) {
    if (auto same = check_unchanged(); !same) return same;
  }
  InputAccess access{access_.roots};
  if (files_.size() == 1) access.notes = access_.notes;
  access.window_bytes_max = rule_.window_bytes_max;
  if (files_[file].codec == Codec::Plain) {
    const std::uint64_t end = std::min({access_.end, end_of(file), kUnknownEnd - kLastRecordBytes});
    access.end = end - begins_[file] + kLastRecordBytes;
  }
  if (access_.address && store::is_name(files_[file].path))
    access.address = [this, file] { return access_.address(file); };
  reader_.reset();
  auto opened = RecordReader::open(files_[file], rule_, begin - begins_[file], block_bytes_, access);
  if (!opened) return std::move(opened).error();
  reader_ = std::move(*opened);
  current_ = file;
  is_checked_ = begin == begins_[file];
  return {};
}

Outcome<void> InputReader::go_to(std::uint64_t begin) {
  for (;;) {
    if (file_at(begin) > current_) {
      if (auto opened = open_at(begin); !opened) return opened;
    }
    if (begin <= file_begin()) return {};
    is_checked_ = false;
    if (knows_end(current_)) return reader_->go_to(begin - file_begin());
    auto block = reader_->next(begin - file_begin());
    while (block && block->records > 0) block = reader_->next(begin - file_begin());
    if (!block) return std::move(block).error();
    if (position() >= begin) return {};
    add_begin(position());
  }
}

Outcome<RecordBlock> InputReader::next(std::uint64_t end) {
  while (position() < end) {
    const std::uint64_t file_end = end_of(current_);
    if (position() < file_end) {
      is_checked_ = false;
      auto block = reader_->next(std::min(end, file_end) - file_begin());
      if (!block || block->records > 0) return block;
      const bool is_known = knows_end(current_);
      if (is_known ? end <= file_end : position() >= end) return block;
      if (!is_known) add_begin(position());
    }
    if (auto opened = open_file(current_ + 1, end_of(current_)); !opened) return std::move(opened).error();
  }
  return RecordBlock{};
}

Outcome<std::uint64_t> InputReader::align(std::uint64_t at, std::uint64_t end) const {
  if (at >= end) return end;
  const std::size_t file = file_at(at);
  if (file != current_ && rule_.format->look_back() > 0) return at;
  auto aligned = reader_->align(at - begins_[file], std::min(end, end_of(file)) - begins_[file]);
  if (!aligned) return aligned;
  return begins_[file] + *aligned;
}

Outcome<void> InputReader::check_unchanged() {
  is_checked_ = true;
  return reader_->check_unchanged();
}

}  // namespace ontime::worker
