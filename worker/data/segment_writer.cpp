#include "worker/data/segment_writer.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/base/crc32c.h"

namespace ontime::worker {

SegmentWriter::SegmentWriter(OutputFile output, std::uint64_t synced_from, const Compression& compression)
    : output_(std::move(output)), synced_from_(synced_from), compressor_(frames::make_compressor(compression)) {
  allocate(kBufferBytes);
}

Outcome<SealedBytes> SegmentWriter::seal() {
  flush();
  if (compressor_ && !fault_) compressor_->end([this](std::string_view bytes) { store(bytes); });
  if (!fault_ && output_.size() - segment_begin_ >= synced_from_) {
    if (auto synced = output_.sync(); !synced) fault_ = std::move(synced).error();
  }
  if (fault_) return *fault_;
  const SealedBytes sealed{segment_begin_, output_.size() - segment_begin_, crc_, compressor_ ? flushed_ - sealed_ : 0};
  segment_begin_ = output_.size();
  sealed_ = flushed_;
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
  flushed_ += bytes.size();
  if (fault_ || bytes.empty()) return;
  if (compressor_)
    compressor_->add(bytes, [this](std::string_view stored) { store(stored); });
  else
    store(bytes);
}

void SegmentWriter::store(std::string_view bytes) {
  if (fault_) return;
  crc_ = crc32c(crc_, bytes.data(), bytes.size());
  if (auto appended = output_.append(bytes); !appended) fault_ = std::move(appended).error();
}

}  // namespace ontime::worker
