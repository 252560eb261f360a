#include "common/protocol/frame.h"

#include <google/protobuf/message_lite.h>

#include <algorithm>
#include <cstring>

#include "common/base/check.h"

namespace ontime::protocol {
namespace {

constexpr std::size_t kReadBytes = 16u << 10;    // a fresh buffer; holds about a hundred heartbeats
constexpr std::size_t kReadBytesMin = 4u << 10;  // less room than this is not worth a system call
constexpr std::size_t kIdleBytesMax = 1u << 20;  // a larger buffer is given back once it is empty

void write_length(char* to, std::size_t size) {
  for (std::size_t i = 0; i < kFrameHeaderBytes; ++i) to[i] = static_cast<char>((size >> (8 * i)) & 0xffu);
}

std::size_t read_length(const char* from) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < kFrameHeaderBytes; ++i) {
    size |= static_cast<std::size_t>(static_cast<unsigned char>(from[i])) << (8 * i);
  }
  return size;
}

}  // namespace

void append_frame(std::string& to, const google::protobuf::MessageLite& message) {
  const std::size_t size = message.ByteSizeLong();
  ONTIME_CHECK(size <= kFrameBytesMax, "a message that is sent fits a frame");
  const std::size_t at = to.size();
  to.resize(at + kFrameHeaderBytes + size);
  write_length(to.data() + at, size);
  message.SerializeWithCachedSizesToArray(reinterpret_cast<std::uint8_t*>(to.data() + at + kFrameHeaderBytes));
}

std::span<char> FrameDecoder::space() {
  if (begin_ == end_) {
    begin_ = end_ = 0;
    if (capacity_ > kIdleBytesMax) reallocate(0);
  }
  if (capacity_ - end_ < kReadBytesMin) {
    const std::size_t held = end_ - begin_;
    if (begin_ != 0) std::memmove(buffer_.get(), buffer_.get() + begin_, held);
    begin_ = 0;
    end_ = held;
    if (capacity_ - held < kReadBytesMin) {
      const std::size_t enough = payload_bytes_max_ + kFrameHeaderBytes + kReadBytes;
      reallocate(std::max(std::min(2 * capacity_, enough), held + kReadBytes));
    }
  }
  return {buffer_.get() + end_, capacity_ - end_};
}

void FrameDecoder::reallocate(std::size_t size) {
  auto larger = std::make_unique_for_overwrite<char[]>(size);
  std::copy_n(buffer_.get(), end_, larger.get());
  buffer_ = std::move(larger);
  capacity_ = size;
}

void FrameDecoder::received(std::size_t size) {
  ONTIME_CHECK(size <= capacity_ - end_, "no more bytes are received than there was space for");
  end_ += size;
}

Result<std::optional<std::string_view>> FrameDecoder::next() {
  const std::size_t held = end_ - begin_;
  if (held < kFrameHeaderBytes) return std::optional<std::string_view>();
  const std::size_t size = read_length(buffer_.get() + begin_);
  if (size > payload_bytes_max_) {
    return failed("a message announces " + std::to_string(size) + " bytes where at most " +
                  std::to_string(payload_bytes_max_) + " are allowed");
  }
  if (held - kFrameHeaderBytes < size) return std::optional<std::string_view>();
  const std::string_view payload(buffer_.get() + begin_ + kFrameHeaderBytes, size);
  begin_ += kFrameHeaderBytes + size;
  return std::optional(payload);
}

}  // namespace ontime::protocol
