#pragma once
// Part files are compressed a segment at a time: each is a frame of Zstandard or a member of gzip of its own, so that
// such files can be put together and cut at segments. Memory is bounded by the format's window and level.

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "common/base/codec.h"
#include "common/base/compression.h"

namespace ontime::frames {

// Makes one frame after another. Throws std::bad_alloc where there is no memory for it.
class Compressor {
 public:
  static constexpr std::size_t kPieceBytes = 128u << 10;
  using Sink = std::function<void(std::string_view stored)>;  // gets pieces of at most kPieceBytes

  virtual ~Compressor() = default;
  virtual void add(std::string_view content, const Sink& sink) = 0;
  // Ends the frame, which may be empty; the next one begins with what comes then.
  virtual void end(const Sink& sink) = 0;
};

// Null for what is not compressed.
std::unique_ptr<Compressor> make_compressor(const Compression& compression);

// Reads one frame after another.
class Decompressor {
 public:
  // What one step did. Nothing at all: it needs more than the stored bytes that it got.
  struct Step {
    std::size_t consumed = 0;
    std::size_t produced = 0;
    bool ends_frame = false;
    const char* error = nullptr;  // why the frame is broken
  };

  virtual ~Decompressor() = default;
  virtual Step decompress(std::string_view stored, char* to, std::size_t size) = 0;
};

// Null for Plain.
std::unique_ptr<Decompressor> make_decompressor(Codec codec);

}  // namespace ontime::frames
