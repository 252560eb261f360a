#pragma once
// The output of a finished job, held open: everything is read in the very directory that was found and nowhere else,
// no link is followed, nobody waits for a pipe, and bytes that are not those that the job wrote are noticed.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/result/fetched_output.h"
#include "cli/result/run_reader.h"
#include "common/base/result.h"
#include "common/output/manifest.h"

namespace ontime::cli {

// A value whose copies share what is open.
class FinishedOutput {
 public:
  // A directory, or an address in a store that speaks S3: from there everything is fetched first, to a directory below
  // $TMPDIR. BadInput, with the reason, if it holds no finished job.
  static Result<FinishedOutput> open(const std::string& directory);

  const std::string& name() const { return name_; }  // as it was asked for
  const output::Manifest& manifest() const { return *manifest_; }
  int directory() const { return directory_->get(); }
  // Whether its files are copies, whose owner says nothing.
  bool is_fetched() const { return fetched_ != nullptr; }

 private:
  FinishedOutput() = default;
  std::string name_;
  std::shared_ptr<Descriptor> directory_;
  std::shared_ptr<const output::Manifest> manifest_;
  std::shared_ptr<const FetchedOutput> fetched_;
};

// A part file as the manifest describes it. What it points to must outlive it.
struct PartFile {
  int directory = -1;
  std::string path;  // for messages
  const output::Task* task = nullptr;
};

// In order; Failed if one is missing or has not the length that the manifest tells.
Result<std::vector<PartFile>> part_files(const FinishedOutput& output);
Result<std::shared_ptr<Descriptor>> open_part(const PartFile& part);

// Compares the bytes of a part file with its checksums while they are read from the begin to the end.
class PartCheck {
 public:
  explicit PartCheck(const PartFile& part) : path_(part.path), segments_(&part.task->segments) {}

  Status add(std::string_view bytes);
  Status finish();

 private:
  Status end_segments();

  std::string path_;
  const std::vector<output::Segment>* segments_;
  std::size_t segment_ = 0;
  std::uint64_t done_ = 0;  // bytes of it
  std::uint32_t crc_ = 0;   // of those
};

// "part file 'x', bytes 4 to 8: checksum 1 instead of 2; the output was changed after the job"
std::string checksum_problem(const std::string& part, const output::Segment& segment, std::uint32_t found);

// The lines of one part file, one after another, with memory for a block and the longest line.
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
