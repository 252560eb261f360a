#pragma once
// A journal's directory. The process that writes the journal holds the file `ontime-journal.lock` in it locked, and
// notes there what was written. Nobody else may read it.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/descriptor.h"
#include "common/base/result.h"

namespace ontime::journal {

// What ties the batches of a journal together: how many there were, and a checksum over all of them. Each batch holds
// the links so far, itself included, and the file beside the database notes them once the batch is
// durable. So a journal that ends before what was noted has lost what it had promised, where without it damage to the
// last log looks like the cut tail that a crash leaves.
struct Chain {
  std::uint64_t batches = 0;
  std::uint32_t checksum = 0;  // CRC-32C of the checksum so far and the batch, over all batches
  bool operator==(const Chain&) const = default;

  Chain with(std::string_view batch) const;
};

inline constexpr std::size_t kChainBytes = 16;
std::string encode_chain(const Chain& chain);               // kChainBytes
std::optional<Chain> decode_chain(std::string_view bytes);  // nothing unless it is exactly what was encoded

class DirectoryLock {
 public:
  static constexpr const char* kName = "ontime-journal.lock";

  // Held as long as the object lives; the kernel releases it however the process ends. Unavailable: another master has
  // it.
  static Result<std::unique_ptr<DirectoryLock>> take(const std::string& directory);

  // The directory's path still leads to this file: it was not removed, and no other one put in its place.
  bool is_in_place() const;

  // To be told only what is durable. Not synced, and a failure is not reported: then it says less than was written, but
  // never more.
  void note(const Chain& written) const;

  // Of a directory that anybody may have locked. Nothing: nothing was noted, or the note is damaged, which alone is
  // no reason to distrust the journal.
  static std::optional<Chain> noted_in(const std::string& directory);

 private:
  DirectoryLock(std::string path, Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}
  const std::string path_;
  const Descriptor file_;
};

// For files that are there already, say from an older version or a copy. Failed, with a sentence that names the file,
// if one cannot be changed.
Status make_files_private(const std::string& directory);

}  // namespace ontime::journal
