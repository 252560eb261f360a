#include "worker/data/segment_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "common/base/crc32c.h"
#include "common/base/kill_point.h"

namespace ontime::worker {

Outcome<std::unique_ptr<SegmentWriter>> SegmentWriter::create(std::string path) {
  pass_kill_point("output-before-create");
  FileDescriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!fd) return system_fault(FaultKind::Output, "cannot create the output file " + path);
  pass_kill_point("output-created");
  return std::unique_ptr<SegmentWriter>(new SegmentWriter(std::move(path), std::move(fd)));
}

SegmentWriter::SegmentWriter(std::string path, FileDescriptor fd) : path_(std::move(path)), fd_(std::move(fd)) {
  allocate(kBufferBytes);
}

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
    const ssize_t put = ::write(fd_.get(), from, left);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return fail("cannot write the output file " + path_);
    from += put;
    left -= static_cast<std::size_t>(put);
    written_ += static_cast<std::uint64_t>(put);
  }
  pass_kill_point("output-written");
}

Outcome<void> SegmentWriter::sync() {
  if (synced_ != written_) {
    pass_kill_point("output-before-sync");
    if (::fdatasync(fd_.get()) != 0) {
      fail("cannot make the output file " + path_ + " durable");
      return *fault_;
    }
    synced_ = written_;
    pass_kill_point("output-synced");
  }
  return directory_synced_ ? Outcome<void>() : sync_directory();
}

Outcome<void> SegmentWriter::sync_directory() {
  const std::size_t slash = path_.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path_.substr(0, slash + 1);
  const FileDescriptor fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || ::fsync(fd.get()) != 0) {
    fail("cannot make the output directory " + directory + " durable");
    return *fault_;
  }
  directory_synced_ = true;
  pass_kill_point("output-name-synced");
  return {};
}

void SegmentWriter::fail(const std::string& what) { fault_ = system_fault(FaultKind::Output, what); }

}  // namespace ontime::worker
