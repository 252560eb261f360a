#pragma once
// What a job that did not succeed leaves in its output directory: nothing that the next run would stumble over.

#include <string>

namespace ontime::cli {

class LeftOutput {
 public:
  // Notes whether the directory is there already. REQUIRES: it is absent or empty, as check_output() demands.
  explicit LeftOutput(std::string directory);
  ~LeftOutput();
  LeftOutput(const LeftOutput&) = delete;
  LeftOutput& operator=(const LeftOutput&) = delete;

  // The job has been accepted, and the directory is its own: this one, whatever its path means later.
  void hold();
  // Removes what jobs write there (and nothing else), and the directory itself if it was not there before. Leaves
  // everything alone that is not held, and once _SUCCESS exists.
  void remove() const;

 private:
  std::string directory_;
  bool existed_;
  int held_ = -1;  // descriptor
};

}  // namespace ontime::cli
