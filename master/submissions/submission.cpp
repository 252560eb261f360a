#include "master/submissions/submission.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/compression.h"
#include "common/base/units.h"
#include "common/base/utf8.h"
#include "common/base/wording.h"
#include "common/records/formats.h"
#include "common/store/name.h"
#include "master/base/settings.h"
#include "master/base/text.h"
#include "master/inputs/input_listing.h"
#include "master/journal/job_fields.h"
#include "scheduler/core/job.h"
#include "scheduler/core/job_spec.h"
#include "scheduler/math/estimator.h"
#include "scheduler/policies/policy.h"

namespace ontime::master {
namespace {

using scheduler::JobSpec;
using scheduler::StringMap;

constexpr std::uint64_t kRecordBytesLimit = std::uint64_t{1} << 30;
constexpr std::uint64_t kWindowBytesLimit = std::uint64_t{4} << 30;
constexpr int kParametersMax = 1000;
constexpr std::size_t kParameterBytesMax = 64u << 10;
constexpr std::size_t kApplicationDirectoriesMax = 16;
constexpr std::size_t kParametersBytesMax =
    1u << 20;  // of all of a job: each worker receives them, and they are remembered

Status check_parameters(const google::protobuf::RepeatedPtrField<wire::Entry>& entries) {
  if (entries.size() > kParametersMax) return bad_input("A job can have at most 1000 parameters.");
  std::set<std::string_view> names;
  std::size_t bytes = 0;
  for (const wire::Entry& entry : entries) {
    bytes += entry.key().size() + entry.value().size();
    if (entry.key().empty() || entry.key().size() > kNameBytesMax || entry.value().size() > kParameterBytesMax) {
      return bad_input("The parameter '" + readable(entry.key().substr(0, kNameBytesMax)) +
                       "' has no name, a name longer than " + std::to_string(kNameBytesMax) +
                       " bytes, or a value longer than " + format_size(kParameterBytesMax) +
                       "; put what is large into a file and give its path.");
    }
    if (!names.insert(entry.key()).second) {
      return bad_input("The parameter '" + readable(entry.key()) + "' is given twice.");
    }
  }
  if (bytes > kParametersBytesMax) {
    return bad_input("The parameters of the job take " + format_size(bytes) +
                     " together, and may take 1 MiB; put what is large into a file and give its path.");
  }
  return {};
}

// The job's policy, or the master's if it names none.
Status choose_policy(JobSpec& spec, const PolicyChoice& otherwise) {
  if (spec.policy.empty()) {
    spec.policy = otherwise.name;
    spec.policy_parameters.insert(otherwise.parameters.begin(), otherwise.parameters.end());
  }
  return check_policy(spec.policy, spec.policy_parameters);
}

// What a request leaves empty or 0, and has a default.
void fill_in(JobSpec& spec) {
  const JobSpec otherwise;
  if (spec.split_bytes == 0) spec.split_bytes = otherwise.split_bytes;
  if (spec.estimator.empty()) spec.estimator = otherwise.estimator;
  if (spec.attempts_max == 0) spec.attempts_max = otherwise.attempts_max;
  if (spec.compress == "none") spec.compress.clear();  // as a client says that its configuration is not meant
  if (spec.window_bytes_max == 0) spec.window_bytes_max = otherwise.window_bytes_max;
  if (!spec.checkpoint_interval) spec.checkpoint_interval = scheduler::default_checkpoint_interval(spec.policy);
}

Status check_application(const JobSpec& spec) {
  const auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-'; };
  const std::string& name = spec.application;
  if (!name.empty() && name.size() <= kNameBytesMax && std::all_of(name.begin(), name.end(), is_plain)) return {};
  return bad_input("'" + readable(name.substr(0, kNameBytesMax)) +
                   "' cannot be the name of an application; `ontime apps` lists them.");
}

Status check_estimator(const JobSpec& spec) {
  std::vector<std::string> known;
  for (const std::string_view name : scheduler::math::estimator_names()) known.emplace_back(name);
  if (std::find(known.begin(), known.end(), spec.estimator) != known.end()) return {};
  const std::string name = readable(spec.estimator.substr(0, kNameBytesMax));
  return bad_input("There is no estimator '" + name + "'; " + advice(name, known));
}

Status check_duration(Duration duration, const char* name) {
  if (duration >= Duration(0) && duration <= kDurationMost) return {};
  return bad_input(std::string("The ") + name + " must lie between 0 and 3650 days.");
}

Status check_durations(const JobSpec& spec) {
  if (Status status = check_duration(spec.deadline, "deadline"); !status) return status;
  if (Status status = check_duration(*spec.checkpoint_interval, "checkpoint interval"); !status) return status;
  if (spec.attempt_timeout == scheduler::kNoTimeout) return {};
  if (spec.attempt_timeout > Duration(0) && spec.attempt_timeout < kAttemptTimeoutMin)
    return bad_input("The attempt timeout must be at least 100 ms: attempts do not tell more often where they are.");
  return check_duration(spec.attempt_timeout, "attempt timeout");
}

Status check_limits(const JobSpec& spec) {
  if (spec.attempts_max > kFailuresOfSegmentMax)
    return bad_input("At most " + std::to_string(kFailuresOfSegmentMax) +
                     " attempts may fail on one segment; ask for fewer.");
  if (const auto format = records::make_format(spec.records); !format && spec.records != records::kByContent)
    return format.error();
  if (spec.record_bytes_max > kRecordBytesLimit)
    return bad_input("A record can have at most 1 GiB; set a smaller limit.");
  if (spec.window_bytes_max > kWindowBytesLimit)
    return bad_input("No format has a window of more than 4 GiB; set a smaller limit.");
  return {};
}

Status check_part_files(const JobSpec& spec) {
  const Status status = check_parts(spec);
  return status ? Status() : bad_input(readable(status.error().message) + ".");
}

Status check_files(const JobSpec& spec) {
  std::set<std::string_view> names;
  std::size_t bytes = 0;
  if (spec.files.size() > kShippedFilesMax)
    return bad_input("The job brings " + counted(spec.files.size(), "file") + ", and may bring " +
                     std::to_string(kShippedFilesMax) +
                     "; pack them into an archive, or put them where the workers can read them.");
  for (const scheduler::ShippedFile& file : spec.files) {
    const std::string& name = file.name;
    const bool is_name = !name.empty() && name.size() <= kNameBytesMax && name != "." && name != ".." &&
                         name.find('/') == name.npos && name.find('\0') == name.npos;
    if (!is_name) return bad_input("'" + readable(name.substr(0, kNameBytesMax)) + "' cannot be the name of a file.");
    if (!names.insert(name).second) return bad_input("Two files of the job are called '" + readable(name) + "'.");
    bytes += name.size() + file.content.size();
  }
  if (bytes > kShippedBytesMax)
    return bad_input("The files of the job and their names take " + counted(bytes, "byte") + ", and may take " +
                     std::to_string(kShippedBytesMax) + "; put what is large where the workers can read it.");
  return {};
}

Error too_long(const std::string& what, const std::string& path) {
  return bad_input(what + " '" + readable(path.substr(0, 100)) + "...' has " + counted(path.size(), "byte") +
                   ", and a path may have " + std::to_string(kPathBytesMax) + "; choose a shorter one.");
}

Status check_application_directories(const JobSpec& spec) {
  for (const std::string& directory : spec.application_directories) {
    if (directory.size() > kPathBytesMax) return too_long("The directory of applications", directory);
    if (!directory.starts_with('/'))
      return bad_input("The directory of applications '" + readable(directory.substr(0, 100)) +
                       "' is not an absolute path.");
  }
  if (spec.application_directories.size() > kApplicationDirectoriesMax)
    return bad_input("A job can name at most " + std::to_string(kApplicationDirectoriesMax) +
                     " directories of applications.");
  return {};
}

Status check_name(const JobSpec& spec) {
  if (spec.name.size() > kNameBytesMax)
    return bad_input("The name of the job has " + counted(spec.name.size(), "byte") + ", and may have " +
                     std::to_string(kNameBytesMax) + ".");
  if (!is_priority(spec.priority))
    return bad_input("The priority must lie between " + std::to_string(-kPriorityMost) + " and " +
                     std::to_string(kPriorityMost) + ".");
  return {};
}

Status check_task_count(const JobSpec& spec) {
  const std::uint64_t count = scheduler::count_splits(spec);
  if (count <= kTasksMax) return {};
  JobSpec larger = spec;
  larger.split_bytes = std::max(scheduler::split_bytes_for(spec.inputs, kTasksMax, false), spec.split_bytes);
  while (scheduler::count_splits(larger) > kTasksMax && larger.split_bytes < std::uint64_t{1} << 62)
    larger.split_bytes *= 2;
  return bad_input("A split size of " + format_size(spec.split_bytes) + " divides the input into " +
                   std::to_string(count) + " tasks, and a job can have at most " + std::to_string(kTasksMax) +
                   "; with --split-size " + std::to_string(larger.split_bytes) + " it has at most " +
                   std::to_string(scheduler::count_splits(larger)) + ".");
}

// Below which the objects of an output lie.
Result<std::string> prefix_of(std::string_view address) {
  if (address.size() > kPathBytesMax || !is_utf8(address))
    return bad_input("The output '" + readable(address.substr(0, 100)) + "' is too long or not valid UTF-8.");
  while (address.ends_with('/')) address.remove_suffix(1);
  const Result<store::Name> name = store::parse_name(address);
  if (!name) return bad_input(readable(name.error().message));
  if (name->key.empty())
    return bad_input("The output '" + readable(address) + "' is a whole store; name a directory in it, such as '" +
                     readable(address) + "/counts'.");
  return name->text();
}

}  // namespace

Result<std::string> output_of(const wire::JobSpec& request) {
  const std::string& path = request.output();
  if (store::is_name(path)) return prefix_of(path);
  if (path.size() > kPathBytesMax) return too_long("The output directory", path);
  if (path.find("://") < path.find('/'))
    return bad_input("The output '" + readable(path.substr(0, 100)) +
                     "' is no place that jobs can write to; give a path, or an s3:// or hdfs:// address.");
  if (path.empty() || path.front() != '/' || path.find('\0') != path.npos) {
    return bad_input("The output directory '" + readable(path.substr(0, 100)) + "' is not an absolute path.");
  }
  if (!is_utf8(path)) return bad_input("The output directory '" + readable(path) + "' is not valid UTF-8.");
  std::string normal = std::filesystem::path(path).lexically_normal().string();
  while (normal.size() > 1 && normal.back() == '/') normal.pop_back();
  if (normal == "/") return bad_input("The output directory cannot be '/'.");
  return normal;
}

Status check_policy(const std::string& name, const StringMap& parameters) {
  const Status status = scheduler::check_policy(name.substr(0, kPathBytesMax), parameters);
  return status ? Status() : bad_input(readable(status.error().message));
}

Result<InputChoice> choice_of(const wire::JobSpec& request) {
  auto choice = InputChoice::of(request.top_level_only() ? Directories::TopLevelOnly : Directories::WithThoseBelow,
                                {request.exclude().begin(), request.exclude().end()}, request.settings().skip().kinds(),
                                request.growing() ? Changes::MayGrow : Changes::Refused);
  auto format = records::make_format(request.settings().records());
  if (choice && format && records::mark_of(**format) != 0) choice->set_records(std::move(*format));
  if (choice && request.settings().records() == records::kByContent) choice->set_records_by_content();
  return choice;
}

Result<JobSpec> begin_job(const wire::JobSpec& request, const PolicyChoice& policy) {
  for (const auto* parameters : {&request.settings().policy_parameters(), &request.parameters()}) {
    if (Status status = check_parameters(*parameters); !status) return status.error();
  }
  Result<JobSpec> spec = journal::job_of(request);
  if (!spec) return spec;
  if (Status status = choose_policy(*spec, policy); !status) return status.error();
  fill_in(*spec);
  spec->skip.inputs.clear();  // that is found out here
  for (const auto check : {check_application, check_estimator, check_durations, check_limits, check_part_files,
                           check_files, check_application_directories, check_name}) {
    if (Status status = check(*spec); !status) return status.error();
  }
  spec->name = readable(spec->name);
  Result<std::string> output = output_of(request);
  if (!output) return output.error();
  spec->output = std::move(*output);
  return spec;
}

// Where it is not known where records begin, each of several tasks of a file would read all that lies before it.
void divide_at_marks(JobSpec& spec) {
  const std::uint64_t mark = records::mark_of(spec.records);
  if (mark == 0) return;
  for (auto& input : spec.inputs) {
    std::erase_if(input.points, [&](const AccessPoint& point) { return !records::marked_at(point, mark); });
    if (input.points.empty()) spec.split_bytes = std::max(spec.split_bytes, input.length());
  }
}

Result<JobSpec> finish_job(const wire::JobSpec& request, JobSpec spec, std::vector<scheduler::InputFile> inputs) {
  const auto format = records::make_format(spec.records);
  if (spec.record_bytes_max == 0 && format) spec.record_bytes_max = (*format)->longest_by_default();
  scheduler::divide_input(spec, std::move(inputs), {request.split_bytes(), request.splits(), !request.file_tasks()});
  divide_at_marks(spec);
  if (Status status = check_task_count(spec); !status) return status.error();
  return spec;
}

}  // namespace ontime::master
