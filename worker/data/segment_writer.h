#pragma once
// The output of one attempt. A mapper sees it as app::Output; the run loop seals stretches of the file. An error cannot
// be returned through the mapper: it is kept, further output is dropped, and fault() tells.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/app/application.h"
#include "common/base/compression.h"
#include "common/base/descriptor.h"
#include "common/files/roots.h"
#include "common/frames/frames.h"
#include "worker/data/fault.h"

namespace ontime::worker {

// The file that an attempt's process writes its output to, a block at a time. It lies in the job's output, or in a
// scratch directory of the worker, which stores from there (worker/agent/attempts/attempt_outputs.h).
class OutputFile {
 public:
  // In a directory that has to be there: `path` is OUTPUT/_attempts/CLAIM/NAME. Links may lead to OUTPUT, which has to
  // lie in `roots`; below it none is followed, so the file is made below this job's claim or not at all. A file of that
  // name is a fault: attempts are numbered, so it belongs to somebody who may still write to it or whose output may
  // count.
  static Outcome<OutputFile> create(const std::string& path, const files::Roots& roots = {});
  // One that was made for this process; empty.
  OutputFile(std::string path, Descriptor file, Descriptor directory)
      : path_(std::move(path)), file_(std::move(file)), directory_(std::move(directory)) {}

  Outcome<void> append(std::string_view bytes);
  // When this returns a value, what was appended survives a loss of power, and so does the file's name.
  Outcome<void> sync();

  std::uint64_t size() const { return size_; }  // what was appended
  int file() const { return file_.get(); }
  int directory() const { return directory_.get(); }

 private:
  Fault cannot(const char* what, int problem) const;

  std::string path_;
  Descriptor file_;
  Descriptor directory_;
  std::uint64_t size_ = 0;
  std::uint64_t synced_ = 0;  // of it
  bool is_name_synced_ = false;
};

// The output of one segment: a range of the attempt's file.
struct SealedBytes {
  std::uint64_t file_offset = 0;
  std::uint64_t length = 0;
  std::uint32_t crc32c = 0;
  std::uint64_t content_length = 0;  // before compression; 0: it is not compressed
};

class SegmentWriter final : public app::Output {
 public:
  static constexpr std::size_t kBufferBytes = 256 << 10;

  // Writes to `output`, which is empty. Segments of fewer than `synced_from` bytes are left for others to sync.
  explicit SegmentWriter(OutputFile output, std::uint64_t synced_from = 0, const Compression& compression = {});

  // Ends the segment, and its frame, which even an empty segment has: when this returns a value its bytes survive a
  // loss of power, unless they are left for others to sync. The next segment begins behind it.
  Outcome<SealedBytes> seal();

  // Bytes of all segments so far, before compression, buffered ones included.
  std::uint64_t bytes() const { return flushed_ + buffered(); }
  const std::optional<Fault>& fault() const { return fault_; }

 protected:
  void make_room(std::size_t size) override;

 private:
  std::size_t buffered() const { return static_cast<std::size_t>(next_ - buffer_.get()); }
  void allocate(std::size_t size);
  void flush();
  void store(std::string_view bytes);

  OutputFile output_;
  const std::uint64_t synced_from_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  const std::unique_ptr<frames::Compressor> compressor_;  // null: none
  std::uint64_t flushed_ = 0;                             // before compression, of all segments
  std::uint64_t sealed_ = 0;                              // of that
  std::uint64_t segment_begin_ = 0;                       // in the file
  std::uint32_t crc_ = 0;                                 // of the segment's bytes in the file
  std::optional<Fault> fault_;
};

}  // namespace ontime::worker
