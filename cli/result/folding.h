#pragma once
// Lines by key, the values of each key folded into one: in memory while they fit, then in sorted runs in nameless
// temporary files, each key once in a run, and the merge of many runs into one.
//
//   run    := record*
//   record := key size (4 bytes) value size (4 bytes) key value       native byte order: it never leaves the process

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/app/application.h"
#include "common/base/descriptor.h"
#include "common/base/result.h"

namespace ontime::cli {

// Calls an application's Merger, turning what it throws into an Error.
class Folder {
 public:
  // `merger` must outlive this.
  explicit Folder(app::Merger& merger) : merger_(&merger) {}

  // All of `values` (at least one) as one value, valid until the next call or until they go.
  Result<std::string_view> fold(std::string_view key, std::span<const std::string_view> values);
  Status finish(std::string_view key, std::string_view value, app::Output& answer);
  Status finish_all(app::Output& answer);

 private:
  app::Merger* merger_;
  std::string merged_;
};

// Memory that is given out piece by piece and taken back all at once.
class Arena {
 public:
  char* take(std::size_t size);
  void clear();
  std::size_t bytes() const { return bytes_; }

 private:
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;
  std::size_t left_ = 0;
  std::size_t bytes_ = 0;
};

// Keys and their values in memory, folded now and then so that hot keys stay small. Everything lies in one arena; what
// a fold leaves behind is reclaimed by clear() only, so bytes() is an honest account of the memory used.
class ValueTable {
 public:
  explicit ValueTable(Folder& folder) : folder_(folder) {}

  Status add(std::string_view key, std::string_view value);
  bool empty() const { return entries_.empty(); }
  std::size_t bytes() const;
  void clear();

  // Every key once, in byte order, with its one folded value: their numbers, and what they stand for until the table
  // changes.
  Result<std::vector<std::uint32_t>> fold_all();
  std::string_view key(std::uint32_t entry) const { return key_of(entries_[entry]); }
  std::string_view value(std::uint32_t entry) const { return value_of(entries_[entry].values); }

 private:
  // In the arena, followed by `size` bytes.
  struct Value {
    Value* next;
    std::size_t size;
  };
  struct Entry {
    const char* key;
    std::uint32_t key_size;
    std::uint32_t count;  // of values
    std::uint64_t hash;
    std::size_t bytes;          // of all values
    std::size_t bytes_at_fold;  // what the last fold left
    Value* values;              // newest first
  };
  static std::string_view key_of(const Entry& entry) { return {entry.key, entry.key_size}; }
  static std::string_view value_of(const Value* value) {
    return {reinterpret_cast<const char*>(value + 1), value->size};
  }
  Value* store(std::string_view bytes, Value* next);
  Entry& find_or_add(std::string_view key);
  Status fold(Entry& entry);
  void grow();

  Folder& folder_;
  Arena arena_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;     // index into entries_ plus one; 0: free. A power of two, at most half full
  std::vector<std::string_view> views_;  // kept between folds
};

// A file without a name, open for reading and writing, that vanishes with its descriptor whatever ends the process.
Result<Descriptor> make_temporary_file(const std::string& directory);

// Pairs in a temporary file.
class Run {
 public:
  explicit Run(Descriptor file) : file_(std::move(file)) {}

  Status append(std::string_view key, std::string_view value);
  Status finish();  // writes what is buffered
  int descriptor() const { return file_.get(); }

 private:
  Status flush();
  Descriptor file_;
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
  // A new run, written by `write`.
  using WriteRun = std::function<Status(const PairVisitor& append)>;
  Status add(const WriteRun& write);
  bool empty() const { return levels_.empty(); }
  std::vector<Run> take_all();

 private:
  Result<Run> make_run(const WriteRun& write) const;

  std::string directory_;
  Folder& folder_;
  std::size_t memory_bytes_;
  std::size_t fan_in_;
  // A level holds fewer than fan_in_ runs, each of fan_in_ runs of the one below.
  std::vector<std::vector<Run>> levels_;
};

}  // namespace ontime::cli
