#pragma once
// From the options of `run` and `submit` to the job that is sent to the master, and the checks that are worth making
// before anything is started. The master checks again: it decides. And what is left of a job that did not succeed.

#include <string>
#include <vector>

#include "cli/command.h"
#include "common/base/descriptor.h"
#include "common/base/result.h"
#include "common/protocol/types.pb.h"
#include "master/inputs/input_listing.h"

namespace ontime::cli {

// Paths become absolute against `working_directory`; an input that is a pattern or a file:// address stays one.
wire::JobSpec make_job_spec(const JobOptions& options, const std::string& working_directory);
// "due 2026-12-01 06:00:00, in 4h 54m"; empty unless the deadline was given as a clock time.
std::string told_due(const JobOptions& options);
// Reads the files that the job brings.
Status add_files(const JobOptions& options, wire::JobSpec& spec);

// A path of an application becomes its name and one more directory to look in, as workers look it up by name.
Status look_up_by_name(JobOptions& options);

// Adds what the file names that names inputs, and writes addresses as they are known.
Status add_named_inputs(JobOptions& options);

// Neither inputs nor output are in a store or on a web server.
bool is_local_only(const JobOptions& options);
// The files that the inputs name, as the master finds them.
Result<master::ListedInputs> list_inputs(const wire::JobSpec& spec);
// A file that `flag` names, and that is written to later, can be made; an empty path names none.
Status check_can_be_written(const std::string& flag, const std::string& path);
// Nor is it there already: what somebody has is not replaced.
Status check_is_new(const std::string& flag, const std::string& path);
struct NamedFile {
  std::string flag;
  std::string path;  // empty: none
};
// No two flags name the same file: the later one would replace what the first has written.
Status check_are_different(const std::vector<NamedFile>& files);
// The output directory does not exist or is empty.
Status check_output(const std::string& directory);

std::string current_directory();

// What a job that did not succeed leaves in its output directory: nothing that the next run would stumble over.
class LeftOutput {
 public:
  // Notes whether the directory is there already. REQUIRES: it is absent or empty, as check_output() demands.
  explicit LeftOutput(std::string directory);

  // The job has been accepted, and the directory is its own: this one, whatever its path means later.
  void hold();
  // Removes what jobs write there (and nothing else), and the directory itself if it was not there before. Leaves
  // everything alone that is not held, and once _SUCCESS exists.
  void remove() const;

 private:
  std::string directory_;
  bool existed_;
  Descriptor held_;
};

}  // namespace ontime::cli
