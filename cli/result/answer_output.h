#pragma once
// The answer of a finished job: where it goes, and how it is made from part files.
//
// It goes to a descriptor or a file, all of it or only the lines with the largest values.

#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <string_view>
#include <vector>

#include "cli/result/part_file.h"
#include "common/app/application.h"
#include "common/base/result.h"

namespace ontime::cli {

// A buffer in front of write(2). An error is kept: what follows is dropped, and finish() tells.
class DescriptorOutput final : public app::Output {
 public:
  explicit DescriptorOutput(int descriptor, std::string shown_name);
  Status finish();
  const Status& status() const { return status_; }
  std::uint64_t bytes() const { return flushed_ + buffered(); }  // put in so far

 protected:
  void make_room(std::size_t size) override;

 private:
  std::size_t buffered() const { return static_cast<std::size_t>(next_ - buffer_.data()); }
  void flush();
  int descriptor_;
  std::string shown_name_;
  std::vector<char> buffer_;
  std::uint64_t flushed_ = 0;
  Status status_;
};

// Keeps the `most` lines with the largest numbers behind their last tab; equal ones in byte order of the line.
class TopOutput : public app::Output {
 public:
  explicit TopOutput(std::uint64_t most);
  // Writes the lines kept, largest first. BadInput if some line had no number.
  Status finish(app::Output& to);

 protected:
  void make_room(std::size_t size) override;

 private:
  struct Ranked {
    double value;
    std::string line;
    // What is better stands first.
    bool operator<(const Ranked& other) const { return value != other.value ? value > other.value : line < other.line; }
  };
  void take_lines();
  void take(std::string_view line);

  std::uint64_t most_;
  std::vector<char> buffer_;
  std::priority_queue<Ranked> kept_;  // the worst on top
  Status status_;
};

inline constexpr std::string_view kStandardOutput = "-";

// A file that appears under its name only when it is complete. Devices and pipes are written to directly.
class AnswerFile {
 public:
  // Empty or kStandardOutput: stdout. BadInput if there is a regular file of that name, unless `may_replace`.
  static Result<AnswerFile> make(const std::string& path, bool may_replace);
  ~AnswerFile();
  AnswerFile(AnswerFile&& other) noexcept;
  AnswerFile& operator=(AnswerFile&&) = delete;

  int descriptor() const { return descriptor_; }
  std::string shown_name() const { return descriptor_ == STDOUT_FILENO ? path_ : "'" + path_ + "'"; }
  Status publish();

 private:
  AnswerFile(std::string path, std::string unfinished, int descriptor)
      : path_(std::move(path)), unfinished_(std::move(unfinished)), descriptor_(descriptor) {}
  std::string path_;
  std::string unfinished_;  // its name until publish(); empty: written to directly
  int descriptor_;
};

// The answer of a finished job, from its part files: merged by the application where it can merge, otherwise the part
// files one after another. Memory stays within a budget plus the longest line; the rest goes to temporary files.
struct MergeOptions {
  std::uint64_t memory_bytes = 256u << 20;
  std::size_t fan_in = 64;          // runs that are merged at once; at least 2
  std::size_t threads = 1;          // that read part files; at least 1
  std::string temporary_directory;  // for what does not fit into the memory
};

// Makes one, set up; each thread has its own. What it throws ends the merge.
using MakeMerger = std::function<std::unique_ptr<app::Merger>()>;

// Every line of `parts` is key<TAB>value (without a tab: a key with an empty value).
Status merge_parts(const std::vector<PartFile>& parts, const MakeMerger& make_merger, const MergeOptions& options,
                   app::Output& answer);
Status concatenate_parts(const std::vector<PartFile>& parts, app::Output& answer);

// Runs that are merged in one pass: as many as may be open, beside as many that are merged already.
std::size_t runs_at_once();

// The answer of an application that sorts: the records of all part files in its order. Part files hold ascending runs;
// they are found by looking, so that any part file gives the right answer and those with long runs a quick one. Memory
// stays within a budget plus the longest records; too many runs are merged in passes over temporary files.
// `options.fan_in` counts for folding only; `in_a_pass`, in runs, is at least 2: each is an open file.
Status sort_parts(const std::vector<PartFile>& parts, app::Order& order, const MergeOptions& options,
                  app::Output& answer, std::size_t in_a_pass = runs_at_once());

}  // namespace ontime::cli
