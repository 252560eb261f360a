#pragma once
// From the options of `run` and `submit` to the job that is sent to the master, and the checks that are worth making
// before anything is started. The master checks again: it decides.

#include <string>

#include "cli/command.h"
#include "common/base/result.h"
#include "common/protocol/types.pb.h"
#include "master/input_listing.h"

namespace ontime::cli {

// Paths become absolute against `working_directory`; an input that is a pattern or a file:// address stays one.
wire::JobSpec make_job_spec(const JobOptions& options, const std::string& working_directory);
// Reads the files that the job brings.
Status add_files(const JobOptions& options, wire::JobSpec& spec);

// A path of an application becomes its name and one more directory to look in, as workers look it up by name.
Status look_up_by_name(JobOptions& options);

// The application exists, loads, and takes the parameters.
Status check_application(const JobOptions& options);
// The files that the inputs name, as the master finds them.
Result<master::ListedInputs> list_inputs(const wire::JobSpec& spec);
// A file that `flag` names, and that is written to later, can be made; an empty path names none.
Status check_can_be_written(const std::string& flag, const std::string& path);
// The output directory does not exist or is empty.
Status check_output(const std::string& directory);

std::string current_directory();

}  // namespace ontime::cli
