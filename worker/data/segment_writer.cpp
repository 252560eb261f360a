#include "worker/data/segment_writer.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/base/crc32c.h"
#include "common/base/kill_point.h"

namespace ontime::worker {

SegmentWriter::SegmentWriter(OutputFile output) : output_(std::move(output)) { allocate(kBufferBytes); }

Outcome<SealedBytes> SegmentWriter::seal() {
  flush();
  if (!fault_) {
    if (auto synced = sync(); !synced) return std::move(synced).error();
  }
  if (fault_) return *fault_;
  const SealedBytes sealed{segment_begin_, written_ - segment_begin_, crc_};
  segment_begin_ = written_;
  crc_ = 0;
  return sealed;
}

void SegmentWriter::make_room(std::size_t size) {
  flush();
  // One huge write gets a buffer of its size, for as long as it lasts.
  if (const std::size_t wanted = std::max(size, kBufferBytes); wanted != capacity_) allocate(wanted);
}

void SegmentWriter::allocate(std::size_t size) {
  buffer_ = std::make_unique_for_overwrite<char[]>(size);
  capacity_ = size;
  next_ = buffer_.get();
  end_ = next_ + size;
}

void SegmentWriter::flush() {
  const std::string_view bytes(buffer_.get(), buffered());
  next_ = buffer_.get();
  if (fault_ || bytes.empty()) return;
  crc_ = crc32c(crc_, bytes.data(), bytes.size());
  pass_kill_point("output-before-write");
  errno = write_all(output_.file.get(), bytes);
  if (errno != 0) return fail("cannot write the output file " + output_.path);
  written_ += bytes.size();
  pass_kill_point("output-written");
}

Outcome<void> SegmentWriter::sync() {
  if (synced_ != written_) {
    pass_kill_point("output-before-sync");
    if (::fdatasync(output_.file.get()) != 0) {
      fail("cannot make the output file " + output_.path + " durable");
      return *fault_;
    }
    synced_ = written_;
    pass_kill_point("output-synced");
  }
  return directory_synced_ ? Outcome<void>() : sync_directory();
}

Outcome<void> SegmentWriter::sync_directory() {
  if (::fsync(output_.directory.get()) != 0) {
    fail("cannot make the name of the output file " + output_.path + " durable");
    return *fault_;
  }
  directory_synced_ = true;
  pass_kill_point("output-name-synced");
  return {};
}

void SegmentWriter::fail(const std::string& what) { fault_ = system_fault(FaultKind::Output, what); }

}  // namespace ontime::worker
