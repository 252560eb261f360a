#pragma once
// Frames: what travels on every connection and socket pair of the project.
//
//   frame   := length payload
//   length  := 4 bytes, little endian, of the payload; above the limit the peer is hostile or mad: close
//   payload := one protobuf message
//
// Pure bytes in, bytes out; Connection (Asio) and the runner (plain descriptors) both stand on it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace google::protobuf {
class MessageLite;
}

namespace ontime::protocol {

inline constexpr std::size_t kFrameHeaderBytes = 4;
inline constexpr std::size_t kFrameBytesMax = 64u << 20;

// Appends `message` as one frame. REQUIRES: its size is within kFrameBytesMax.
void append_frame(std::string& to, const google::protobuf::MessageLite& message);

// Cuts a stream of bytes into payloads. Memory follows what has really arrived, not what a length announces, and stays
// within the limit plus one read's size. Take all payloads (until next() gives nothing) before asking for space().
class FrameDecoder {
 public:
  explicit FrameDecoder(std::size_t payload_bytes_max = kFrameBytesMax) : payload_bytes_max_(payload_bytes_max) {}

  // Where the next bytes may be written (never empty), and how many of them were. Invalidates what next() returned.
  std::span<char> space();
  void received(std::size_t size);

  // From the next frame on; for a peer that has not yet proved who it is.
  void set_payload_bytes_max(std::size_t size) { payload_bytes_max_ = size; }
  bool has_partial_frame() const { return begin_ != end_; }  // the stream must not end here
  std::size_t capacity() const { return capacity_; }         // bytes held

  // The next whole payload; nothing if more bytes are needed; an error for a length above the limit, after which the
  // stream is of no use. The payload is valid until space() is called.
  Result<std::optional<std::string_view>> next();

 private:
  void reallocate(std::size_t size);
  std::size_t payload_bytes_max_;
  std::unique_ptr<char[]> buffer_;  // not cleared: pages that nothing is received in cost no memory
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;  // first byte not yet returned
  std::size_t end_ = 0;    // one past the last byte received
};

}  // namespace ontime::protocol
