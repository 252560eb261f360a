#pragma once
// From the options of `run` and `submit` to the job that is sent to the master, and the checks that are worth making
// before anything is started. The master checks again: it decides.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "common/base/result.h"
#include "common/protocol/types.pb.h"

namespace ontime::cli {

// Paths become absolute against `working_directory`; an input that is a glob or a file:// address stays one.
wire::JobSpec make_job_spec(const JobOptions& options, const std::string& working_directory);

// A path of an application becomes its name and one more directory to look in, as workers look it up by name.
Status look_up_by_name(JobOptions& options);

// The application exists, loads, and takes the parameters.
Status check_application(const JobOptions& options);
// Every input is there and can be read.
Status check_inputs(const wire::JobSpec& spec);
// What the inputs leave out, as one sentence for people; empty if they leave out nothing.
std::string skipped_inputs(const wire::JobSpec& spec);
// A file that `flag` names, and that is written to later, can be made; an empty path names none.
Status check_can_be_written(const std::string& flag, const std::string& path);
// The output directory does not exist or is empty.
Status check_output(const std::string& directory);

std::string current_directory();
// The path that a file:// address names; nothing for other texts, and for an address of another host.
std::optional<std::string> path_of_file_address(std::string_view text);

}  // namespace ontime::cli
