#pragma once
// The directory history/ beside the journal: a file for each job that has ended, whole or not there, checked when it is
// read. Nothing depends on it. Bounded: the file written longest ago goes first. One thread at a time.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "common/base/ids.h"
#include "common/base/result.h"

namespace ontime::history {

class HistoryStore {
 public:
  // `bytes_max`: of all files together.
  HistoryStore(std::string directory, std::uint64_t bytes_max)
      : directory_(std::move(directory)), bytes_max_(bytes_max) {}

  // First of all: finds the files there are, and removes those of jobs that nobody remembers and what a crash has left.
  void open(const std::set<JobId>& remembered);
  bool has(JobId job) const { return files_.contains(job); }
  // Its file holds the content then. Otherwise it has none, and the sentence says why.
  Status write(JobId job, std::string_view content);
  // One sentence if its file is gone or damaged; then it is removed.
  Result<std::string> read(JobId job);
  void forget(JobId job);

  static constexpr std::uint64_t kContentMax = 512u << 20;  // of one job, unpacked

 private:
  struct File {
    std::uint64_t bytes = 0;
    std::uint64_t order = 0;
  };

  std::string path_of(JobId job) const;
  void add(JobId job, std::uint64_t bytes);
  bool make_room(std::uint64_t bytes);

  const std::string directory_;
  const std::uint64_t bytes_max_;
  std::map<JobId, File> files_;
  std::uint64_t bytes_ = 0;
  std::uint64_t writes_ = 0;
};

}  // namespace ontime::history
