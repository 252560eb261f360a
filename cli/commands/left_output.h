#pragma once
// What a job that did not succeed leaves in its output directory: nothing that the next run would stumble over.

#include <string>

namespace ontime::cli {

class LeftOutput {
 public:
  // Notes whether the directory is there already. REQUIRES: it is absent or empty, as check_output() demands.
  explicit LeftOutput(std::string directory);
  // Removes what jobs write there (and nothing else), and the directory itself if it was not there before. Leaves
  // everything alone once _SUCCESS exists.
  void remove() const;

 private:
  std::string directory_;
  bool existed_;
};

}  // namespace ontime::cli
