#pragma once
// Where reading of a compressed file may begin, found without decompressing it: in BGZF by the headers one after
// another, in Zstandard by the headers or the table of the seekable format, in xz by the indexes of the streams. A file
// may say wrong things about itself. Then the index is wrong too, and the attempts that read by it notice
// (worker/data/compressed_source.cpp).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "common/app/record_format.h"
#include "common/base/byte_range.h"
#include "scheduler/core/job_spec.h"

namespace ontime::master {

// Reads up to so many bytes at an offset; fewer at the end, and where the file cannot be read.
using ReadAt = std::function<std::size_t(char* to, std::size_t size, std::uint64_t offset)>;

struct InputIndex {
  std::uint64_t content_bytes = 0;  // 0: nothing was found out, the file can only be read from its begin
  std::vector<AccessPoint> points;  // in order, the begin left out
};

// What an index may cost. A file that would take more has none.
struct IndexEffort {
  std::size_t read_bytes = 4096;
  std::uint64_t reads_max = 256u << 10;  // blocks of BGZF, for example: 16 GiB of such a file
  std::uint64_t apart = 1u << 20;        // bytes of content from one point to the next, at least
};

// A file with a block that holds more than kBlockContentMax gets no index: beginning in that block would take too long.
inline constexpr std::uint64_t kBlockContentMax = 256u << 20;
InputIndex find_input_index(Codec codec, std::uint64_t size, const ReadAt& read, const IndexEffort& effort = {});

// Where records begin in a plain file, found by the heads of one record after another; none if they do not tell.
std::vector<AccessPoint> find_record_points(const app::RecordFormat& format, std::uint64_t size, const ReadAt& read,
                                            const IndexEffort& effort = {8192});

inline constexpr std::size_t kPointsMax = 16'384;  // of one file

// Of xz (input_index.cpp).
InputIndex find_xz_index(class StoredNumbers& file, const IndexEffort& effort);

// Every second point goes, so that there are at most `most`.
void thin_out(std::vector<AccessPoint>& points, std::size_t most);

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
