#pragma once
// Standard input as an input of a job. Tasks read ranges of it, so it is kept in a file, which the destructor removes.

#include <memory>
#include <optional>
#include <string>

#include "cli/command.h"
#include "common/base/result.h"
#include "common/files/temporary_directory.h"

namespace ontime::cli {

class SpooledInput {
 public:
  // `is_quiet`: says where it is kept only if the file stays.
  explicit SpooledInput(bool is_quiet) : is_quiet_(is_quiet) {}

  // "-" is among the inputs, or another name that means a file to this process only: "/dev/stdin", "/dev/fd/63". Or
  // there are lists of values.
  static bool is_asked(const JobOptions& job);

  // Reads each of them to its end and puts the file in its place. Does nothing if there is
  // none. Ctrl-C ends it with an error; interrupts() tells.
  Status read(JobOptions& job);
  // The same into a directory beside the job's output, for machines that share that file system and users other than
  // this one.
  Status read_for_others(JobOptions& job);

  // The job continues without this process: keeps the file and prints its path.
  void keep();

 private:
  Status keep_in_file(std::string& input, int descriptor, std::uint64_t bytes_max);
  Status keep_lists(JobOptions& job, std::string& input);
  Status read_into(JobOptions& job, const std::string& parent, bool is_for_others);

  const bool is_quiet_;
  std::unique_ptr<files::TemporaryDirectory> directory_;  // null: there is no "-"
};

}  // namespace ontime::cli
