#pragma once
// Sorted runs of (key, value) in nameless temporary files, each key once in a run; and the merge of many runs into one.
//
//   run    := record*
//   record := key size (4 bytes) value size (4 bytes) key value       native byte order: it never leaves the process

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/result/value_table.h"
#include "common/base/result.h"

namespace ontime::cli {

// A file without a name, open for reading and writing, that vanishes with its descriptor whatever ends the process.
Result<int> make_temporary_file(const std::string& directory);

// Pairs in a temporary file.
class Run {
 public:
  static Result<Run> make(const std::string& directory);
  ~Run();
  Run(Run&& other) noexcept;
  Run& operator=(Run&& other) noexcept;

  Status append(std::string_view key, std::string_view value);
  Status finish();  // writes what is buffered
  int descriptor() const { return descriptor_; }

 private:
  explicit Run(int descriptor) : descriptor_(descriptor) {}
  Status flush();
  int descriptor_;
  std::string buffer_;
};

using PairVisitor = std::function<Status(std::string_view key, std::string_view value)>;

// Pairs in byte order of their keys, each key once.
class PairSource {
 public:
  virtual ~PairSource() = default;
  virtual Result<bool> advance() = 0;  // to the next pair, at first to the first; false at the end
  virtual std::string_view key() const = 0;
  virtual std::string_view value() const = 0;
};

// Visits every key of all runs, and of other sources, once, in byte order, its values folded.
Status merge_runs(const std::vector<Run>& runs, std::vector<std::unique_ptr<PairSource>> others, Folder& folder,
                  std::size_t memory_bytes, const PairVisitor& visit);

// The runs of one sort, merged whenever too many have piled up: few descriptors, and each pair is written
// log(runs) / log(fan_in) times.
class RunStack {
 public:
  RunStack(std::string directory, Folder& folder, std::size_t memory_bytes, std::size_t fan_in = 64);
  // A new run, written by `write`, which is given the run's append().
  Status add(const std::function<Status(const PairVisitor&)>& write);
  bool empty() const { return levels_.empty(); }
  std::vector<Run> take_all();

 private:
  std::string directory_;
  Folder& folder_;
  std::size_t memory_bytes_;
  std::size_t fan_in_;
  std::vector<std::vector<Run>>
      levels_;  // a level holds fewer than fan_in_ runs, each of fan_in_ runs of the one below
};

}  // namespace ontime::cli
