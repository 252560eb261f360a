#include "worker/data/segment_writer.h"

#include <unistd.h>

#include <algorithm>
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
  const char* from = buffer_.get();
  std::size_t left = buffered();
  next_ = buffer_.get();
  if (fault_ || left == 0) return;
  crc_ = crc32c(crc_, from, left);
  pass_kill_point("output-before-write");
  while (left > 0) {
    const ssize_t put = ::write(output_.file.get(), from, left);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return fail("cannot write the output file " + output_.path);
    from += put;
    left -= static_cast<std::size_t>(put);
    written_ += static_cast<std::uint64_t>(put);
  }
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
