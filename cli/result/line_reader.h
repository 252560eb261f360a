#pragma once
// The lines of one part file, one after another, with memory for a block and the longest line.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/result/part_file.h"
#include "common/base/result.h"

namespace ontime::cli {

class LineReader {
 public:
  static Result<LineReader> open(const PartFile& part, std::size_t block_bytes = 256u << 10);

  // The next line without its line feed, valid until the next call; nothing at the end.
  Result<std::optional<std::string_view>> next();

 private:
  LineReader(const PartFile& part, std::shared_ptr<Descriptor> file, std::size_t block_bytes)
      : path_(part.path), file_(std::move(file)), check_(part), block_bytes_(block_bytes) {}
  Status fill();  // reads more behind end_

  std::string path_;
  std::shared_ptr<Descriptor> file_;
  PartCheck check_;
  std::size_t block_bytes_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;    // of what has not been returned
  std::size_t scanned_ = 0;  // no line feed in [begin_, scanned_)
  std::size_t end_ = 0;
  bool at_end_ = false;
};

}  // namespace ontime::cli
