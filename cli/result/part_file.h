#pragma once
// The output of a finished job, held open: everything is read in the very directory that was found and nowhere else,
// no link is followed, nobody waits for a pipe, and bytes that are not those that the job wrote are noticed.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/app/application.h"
#include "common/base/codec.h"
#include "common/base/descriptor.h"
#include "common/base/result.h"
#include "common/files/temporary_directory.h"
#include "common/frames/frames.h"
#include "common/output/manifest.h"

namespace ontime::cli {

// An output, whatever it lies in, as a directory of this machine. Of one in a store that is a copy in a private
// directory below $TMPDIR, where it looks as it would have been written to a directory; it is removed with the object.
class LocalOutput {
 public:
  // `name`: a directory, "s3://bucket/prefix" or "hdfs://host/path". Failed if the store cannot be read.
  // All of it. In a copy, what does not belong to the output is there as an empty file; what is missing, is missing.
  // BadInput, with the reason, if that is no finished job's.
  static Result<std::shared_ptr<const LocalOutput>> whole(const std::string& name);
  // At least this file of it, if it has it.
  static Result<std::shared_ptr<const LocalOutput>> with_file(const std::string& name, const std::string& file);

  const std::string& directory() const { return directory_; }
  bool is_copy() const { return holder_ != nullptr; }

  explicit LocalOutput(std::string directory) : directory_(std::move(directory)) {}
  explicit LocalOutput(std::unique_ptr<files::TemporaryDirectory> holder);  // of a copy

 private:
  std::unique_ptr<files::TemporaryDirectory> holder_;
  std::string directory_;
};

// A value whose copies share what is open.
class FinishedOutput {
 public:
  // BadInput, with the reason, if it holds no finished job.
  static Result<FinishedOutput> open(const std::string& name);

  const std::string& name() const { return name_; }  // as it was asked for
  const output::Manifest& manifest() const { return *manifest_; }
  int directory() const { return directory_->get(); }
  // Whether its files are copies, whose owner says nothing.
  bool is_fetched() const { return local_->is_copy(); }

 private:
  FinishedOutput() = default;
  std::string name_;
  std::shared_ptr<Descriptor> directory_;
  std::shared_ptr<const output::Manifest> manifest_;
  std::shared_ptr<const LocalOutput> local_;
};

// A part file as the manifest describes it. What it points to must outlive it.
struct PartFile {
  int directory = -1;
  std::string path;  // for messages
  const output::Task* task = nullptr;
  Codec codec = Codec::Plain;
};

// In order; Failed if one is missing or has not the length that the manifest tells.
Result<std::vector<PartFile>> part_files(const FinishedOutput& output);
Result<std::shared_ptr<Descriptor>> open_part(const PartFile& part);

// "part file 'x', bytes 4 to 8: checksum 1 instead of 2; the output was changed after the job"
std::string checksum_problem(const std::string& part, const output::Segment& segment, std::uint32_t found);

// Brings the next bytes, at most `most` > 0; 0 at the end.
using ReadBytes = std::function<Result<std::size_t>(char* to, std::size_t most)>;
// [begin, end) of `descriptor`. The error is the system's reason alone.
ReadBytes read_range(int descriptor, std::uint64_t begin, std::uint64_t end);

// What a part file holds, decompressed, from the begin to the end. What is stored is compared with the manifest
// meanwhile: the end comes only after bytes that the job wrote.
class PartContent {
 public:
  static Result<std::shared_ptr<PartContent>> open(const PartFile& part);
  Result<std::size_t> read(char* to, std::size_t most);  // as ReadBytes; its error is a sentence

 private:
  PartContent(const PartFile& part, std::shared_ptr<Descriptor> file, std::uint64_t size);
  Result<std::size_t> read_stored(char* to, std::size_t most);
  Status check(std::string_view stored);  // empty: there are no more
  Status end_checked_segments();
  Result<std::size_t> decompress(char* to, std::size_t most);
  Status end_frame();
  Error damaged(const std::string& why) const;

  const std::string path_;
  const Codec codec_;
  const std::vector<output::Segment>& segments_;
  const std::shared_ptr<Descriptor> file_;
  const ReadBytes read_;
  // Of the stored bytes that were read:
  std::size_t segment_ = 0;
  std::uint64_t done_ = 0;  // bytes of it
  std::uint32_t crc_ = 0;   // of those
  // Of those that were decompressed:
  const std::unique_ptr<frames::Decompressor> decompressor_;  // null: they are what the part holds
  std::vector<char> buffer_;
  std::string_view stored_;  // in it, not yet decompressed
  std::size_t frame_ = 0;    // the segment
  std::uint64_t frame_done_ = 0;
  std::uint64_t content_done_ = 0;
};

// Bytes in order, of which those that are done with make room for more.
class FileWindow {
 public:
  // Reads `block_bytes` at a time, or more for what is longer.
  FileWindow(ReadBytes read, std::size_t block_bytes) : read_(std::move(read)), block_bytes_(block_bytes) {}
  FileWindow(int descriptor, std::uint64_t begin, std::uint64_t end, std::size_t block_bytes)
      : FileWindow(read_range(descriptor, begin, end), block_bytes) {}

  std::string_view bytes() const { return {buffer_.data() + begin_, end_ - begin_}; }  // valid until read_more()
  void drop(std::size_t size) { begin_ += size; }
  // What came behind bytes(), as a part of it; nothing at the end.
  Result<std::string_view> read_more();

 private:
  ReadBytes read_;
  std::size_t block_bytes_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

// The records of a stretch of a file, one after another, as an app::Order divides them: lines or so many bytes each.
class RecordReader {
 public:
  static constexpr std::size_t kBlockBytes = 256u << 10;

  // Reads [begin, end) of `file`, which messages call `path`.
  RecordReader(const std::shared_ptr<Descriptor>& file, std::string path, std::uint64_t begin, std::uint64_t end,
               app::RecordBytes record_bytes, std::size_t block_bytes);
  // Reads what a part file holds. Once advance() has said that there are no more records, they are those that the job
  // wrote.
  static Result<RecordReader> open(const PartFile& part, app::RecordBytes record_bytes = 0,
                                   std::size_t block_bytes = kBlockBytes);

  // Moves to the next record, at first to the first; false at the end.
  Result<bool> advance();

  // The current record; valid until advance().
  std::string_view record() const { return window_.bytes().substr(0, size_); }
  std::string_view whole_record() const { return window_.bytes().substr(0, whole_); }  // with its line feed, if any
  std::uint64_t offset() const { return offset_; }                                     // in the file's content

 private:
  RecordReader(ReadBytes read, std::string path, std::uint64_t offset, app::RecordBytes record_bytes,
               std::size_t block_bytes);
  Result<bool> read_more();

  std::string path_;
  FileWindow window_;
  app::RecordBytes record_bytes_;
  std::uint64_t offset_;
  std::size_t size_ = 0;   // of the current record
  std::size_t whole_ = 0;  // with its line feed
};

// Calls `visit` with each line of a part file, until it gives an error.
Status for_each_line(const PartFile& part, const std::function<Status(std::string_view)>& visit);

// Calls work(thread, item) for each item from 0 to count - 1, on at most `threads` threads. After the first error it
// begins no further item and returns that error. Rethrows the first exception of `work`.
Status in_parallel(std::size_t count, std::size_t threads,
                   const std::function<Status(std::size_t thread, std::size_t item)>& work);

}  // namespace ontime::cli
