#pragma once
// Numbers of a stored file, for reading its headers.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "master/input_index.h"

namespace ontime::master {

// Reads through a buffer. Not longer than it is worth it: a read may be a request to a server.
class StoredNumbers {
 public:
  StoredNumbers(const ReadAt& read, std::uint64_t size, const IndexEffort& effort);

  std::uint64_t size() const { return size_; }

  // A little-endian number of `bytes` bytes, at most 8. Nothing at the end of the file, or when there are to be no more
  // reads.
  std::optional<std::uint64_t> number(std::uint64_t offset, std::size_t bytes);
  // Up to `most` bytes, which are valid until the next call; fewer where number() gives nothing.
  std::string_view bytes(std::uint64_t offset, std::size_t most);

  // Whether the reads will do for the whole file, if they go on as they did up to `offset`.
  bool will_reach_end(std::uint64_t offset) const;

 private:
  const ReadAt& read_;
  const std::uint64_t size_;
  const IndexEffort effort_;
  std::uint64_t reads_ = 0;
  std::vector<char> buffer_;
  std::uint64_t begin_ = 0;  // of the buffer in the file
  std::size_t length_ = 0;
};

}  // namespace ontime::master
