#pragma once
// Reads the entries of one file, which may hold several epochs one behind another. Safe while a master still writes it:
// what is not all there yet counts as a tail that was cut off.

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

#include "common/base/result.h"
#include "master/recording/block.h"
#include "master/recording/entry.h"

namespace ontime::recording {

class Reader {
 public:
  // BadInput if there is no such file; Failed if it is not a recording. An empty file is one that was cut off.
  static Result<Reader> open(const std::string& path);

  // The next entry; nothing at the end. An error names the file and what is wrong with it.
  Result<std::optional<Entry>> next();
  // Bytes at the end of the file (or of an epoch in it) that are no whole block or entry: a crash cut them off.
  std::uint64_t torn_bytes() const { return torn_bytes_; }
  const std::string& path() const { return path_; }

 private:
  Reader(std::string path, std::ifstream file) : path_(std::move(path)), file_(std::move(file)) {}
  // False: the end of the file.
  Result<bool> read_block();
  Error damaged(const std::string& reason) const;
  void drop_rest();

  std::string path_;
  std::ifstream file_;
  BlockUnpacker unpacker_;
  std::uint64_t position_ = 0;
  std::uint32_t sequence_ = 0;  // of the next block
  std::string content_;         // unpacked
  std::size_t taken_ = 0;       // of it
  bool begins_epoch_ = true;    // the next entry has to be a header
  TimePoint at_;
  std::uint64_t torn_bytes_ = 0;
};

}  // namespace ontime::recording
