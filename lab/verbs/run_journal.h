#pragma once
// What the runs of a study have left: a file to which each is appended, whole, as it ends. The same command goes on
// from it, after whatever ended the program before.
//
// The first line says what the runs belong to, every other one is a run (lab/study/study_result.h, line_of).

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "common/base/descriptor.h"
#include "common/base/result.h"
#include "lab/study/study_result.h"

namespace ontime::lab {

class RunJournal {
 public:
  // What all runs of the file have in common, as digests.
  struct Origin {
    std::string study;
    std::string program;  // with the policies that it loads
  };

  // Makes the file, or reads what is there; a line that was not written to its end is taken off. BadInput if the runs
  // are of another origin, or if another process is at work on it.
  static Result<std::unique_ptr<RunJournal>> open(const std::string& path, const Origin& origin);

  // What a run with this key has left; nothing if none has. Any thread, like keep().
  const RunResult* find(const std::string& key) const;
  // Nothing of a run in which an invariant did not hold.
  Status keep(const std::string& key, const RunResult& run);

 private:
  RunJournal(std::string path, Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}
  Status read(const std::string& text, const Origin& origin);

  const std::string path_;
  const Descriptor file_;
  std::map<std::string, RunResult> before_;  // of earlier calls, by key; does not change once it is open
  std::mutex mutex_;                         // held by the thread that appends
};

}  // namespace ontime::lab
