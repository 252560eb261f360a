#pragma once
// What the decompressing sources have in common: a small buffer of stored bytes, and skipping by reading. Memory is
// bounded by this buffer and the format's window.

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "worker/data/input_source.h"

namespace ontime::worker {

class CompressedSource : public InputSource {
 public:
  Outcome<std::size_t> read(char* to, std::size_t size) final;
  Outcome<std::uint64_t> skip_to(std::uint64_t offset) final;

 protected:
  explicit CompressedSource(const OpenedInput& input) : input_(input) {}

  // What one step of decompression did.
  struct Step {
    std::size_t consumed = 0;
    std::size_t produced = 0;
    const char* error = nullptr;  // why the stream is broken
  };
  // Decompresses some of `stored` into [to, to + size); must consume or produce something unless it is an error.
  virtual Step decompress(std::string_view stored, char* to, std::size_t size) = 0;
  // All stored bytes are consumed: is this a place where the stream may end?
  virtual bool may_end() const = 0;

 private:
  static constexpr std::size_t kStoredBytes = 64 << 10;
  Outcome<bool> refill();  // false at the end of the file
  Fault broken(const char* why) const;

  const OpenedInput& input_;
  std::array<char, kStoredBytes> stored_;
  std::size_t stored_begin_ = 0;
  std::size_t stored_end_ = 0;
  std::uint64_t stored_offset_ = 0;  // in the file, of stored_[stored_end_]
  std::uint64_t offset_ = 0;         // in the stream, of the next byte
};

std::unique_ptr<InputSource> make_gzip_source(const OpenedInput& input);
std::unique_ptr<InputSource> make_zstd_source(const OpenedInput& input);

}  // namespace ontime::worker
