#include "master/submissions/submission.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/base/units.h"
#include "common/base/utf8.h"
#include "common/base/wording.h"
#include "common/store/name.h"
#include "master/base/settings.h"
#include "master/base/text.h"
#include "master/inputs/input_listing.h"
#include "scheduler/core/job.h"
#include "scheduler/core/job_spec.h"
#include "scheduler/math/estimator.h"
#include "scheduler/policies/policy.h"

namespace ontime::master {
namespace {

using scheduler::JobSpec;
using scheduler::StringMap;

constexpr std::uint64_t kRecordBytesLimit = std::uint64_t{1} << 30;
constexpr int kParametersMax = 1000;
constexpr std::size_t kParameterBytesMax = 64u << 10;
constexpr std::size_t kApplicationDirectoriesMax = 16;
constexpr std::size_t kParametersBytesMax =
    1u << 20;  // of all of a job: each worker receives them, and they are remembered

Result<StringMap> parameters_of(const google::protobuf::RepeatedPtrField<wire::Entry>& entries) {
  if (entries.size() > kParametersMax) return bad_input("A job can have at most 1000 parameters.");
  StringMap parameters;
  std::size_t bytes = 0;
  for (const wire::Entry& entry : entries) {
    bytes += entry.key().size() + entry.value().size();
    if (entry.key().empty() || entry.key().size() > kNameBytesMax || entry.value().size() > kParameterBytesMax) {
      return bad_input("The parameter '" + readable(entry.key().substr(0, kNameBytesMax)) +
                       "' has no name, a name longer than " + std::to_string(kNameBytesMax) +
                       " bytes, or a value longer than " + format_size(kParameterBytesMax) +
                       "; put what is large into a file and give its path.");
    }
    if (!parameters.emplace(entry.key(), entry.value()).second) {
      return bad_input("The parameter '" + readable(entry.key()) + "' is given twice.");
    }
  }
  if (bytes > kParametersBytesMax) {
    return bad_input("The parameters of the job take " + format_size(bytes) +
                     " together, and may take 1 MiB; put what is large into a file and give its path.");
  }
  return parameters;
}

Result<Duration> duration_of(std::int64_t ns, const char* name) {
  if (ns < 0 || ns > kDurationMost.count())
    return bad_input(std::string("The ") + name + " must lie between 0 and 3650 days.");
  return Duration(ns);
}

std::int64_t checkpoint_of(const wire::JobSpec& request, const JobSpec& spec) {
  if (request.has_checkpoint_interval_ns()) return request.checkpoint_interval_ns();
  return scheduler::default_checkpoint_interval(spec.policy).count();
}

Result<Duration> attempt_timeout_of(std::int64_t ns) {
  if (ns == scheduler::kNoTimeout.count()) return scheduler::kNoTimeout;
  if (ns > 0 && ns < kAttemptTimeoutMin.count())
    return bad_input("The attempt timeout must be at least 100 ms: attempts do not tell more often where they are.");
  return duration_of(ns, "attempt timeout");
}

Status fill_durations(const wire::JobSpec& request, JobSpec& spec) {
  const std::pair<Duration*, Result<Duration>> all[] = {
      {&spec.deadline, duration_of(request.deadline_ns(), "deadline")},
      {&spec.checkpoint_interval, duration_of(checkpoint_of(request, spec), "checkpoint interval")},
      {&spec.attempt_timeout, attempt_timeout_of(request.attempt_timeout_ns())}};
  for (const auto& [to, value] : all) {
    if (!value) return value.error();
    *to = *value;
  }
  return {};
}

Status fill_application(const wire::JobSpec& request, JobSpec& spec) {
  const auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-'; };
  const std::string& name = request.application();
  if (name.empty() || name.size() > kNameBytesMax || !std::all_of(name.begin(), name.end(), is_plain)) {
    return bad_input("'" + readable(name.substr(0, kNameBytesMax)) +
                     "' cannot be the name of an application; `ontime apps` lists them.");
  }
  spec.application = name;
  Result<StringMap> parameters = parameters_of(request.parameters());
  if (!parameters) return parameters.error();
  spec.parameters = std::move(*parameters);
  return {};
}

Status fill_policy(const wire::JobSpec& request, const PolicyChoice& otherwise, JobSpec& spec) {
  Result<StringMap> parameters = parameters_of(request.policy_parameters());
  if (!parameters) return parameters.error();
  if (request.policy().empty()) {
    spec.policy = otherwise.name;
    spec.policy_parameters = otherwise.parameters;
  } else {
    spec.policy = request.policy();
  }
  for (auto& [name, value] : *parameters) spec.policy_parameters[name] = std::move(value);
  return check_policy(spec.policy, spec.policy_parameters);
}

Status fill_estimator(const wire::JobSpec& request, JobSpec& spec) {
  if (request.estimator().empty()) return {};
  std::vector<std::string> known;
  for (const std::string_view name : scheduler::math::estimator_names()) known.emplace_back(name);
  if (std::find(known.begin(), known.end(), request.estimator()) != known.end()) {
    spec.estimator = request.estimator();
    return {};
  }
  const std::string name = readable(request.estimator().substr(0, kNameBytesMax));
  return bad_input("There is no estimator '" + name + "'; " + advice(name, known));
}

Status fill_limits(const wire::JobSpec& request, JobSpec& spec) {
  if (request.attempts_max() != 0) spec.attempts_max = request.attempts_max();
  if (request.record_bytes_max() != 0) spec.record_bytes_max = request.record_bytes_max();
  if (spec.attempts_max > kFailuresOfSegmentMax)
    return bad_input("At most " + std::to_string(kFailuresOfSegmentMax) +
                     " attempts may fail on one segment; ask for fewer.");
  if (spec.record_bytes_max > kRecordBytesLimit)
    return bad_input("A record can have at most 1 GiB; set a smaller limit.");
  return {};
}

Status fill_files(const wire::JobSpec& request, JobSpec& spec) {
  std::set<std::string> names;
  std::size_t bytes = 0;
  if (request.files_size() > kShippedFilesMax)
    return bad_input("The job brings " + counted(static_cast<std::uint64_t>(request.files_size()), "file") +
                     ", and may bring " + std::to_string(kShippedFilesMax) +
                     "; pack them into an archive, or put them where the workers can read them.");
  for (const wire::ShippedFile& file : request.files()) {
    const std::string& name = file.name();
    const bool is_name = !name.empty() && name.size() <= kNameBytesMax && name != "." && name != ".." &&
                         name.find('/') == name.npos && name.find('\0') == name.npos;
    if (!is_name) return bad_input("'" + readable(name.substr(0, kNameBytesMax)) + "' cannot be the name of a file.");
    if (!names.insert(name).second) return bad_input("Two files of the job are called '" + readable(name) + "'.");
    bytes += name.size() + file.content().size();
    spec.files.push_back({name, file.content(), file.executable()});
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

Status fill_application_directories(const wire::JobSpec& request, JobSpec& spec) {
  for (const std::string& directory : request.application_directories()) {
    if (directory.size() > kPathBytesMax) return too_long("The directory of applications", directory);
    if (!directory.starts_with('/'))
      return bad_input("The directory of applications '" + readable(directory.substr(0, 100)) +
                       "' is not an absolute path.");
    spec.application_directories.push_back(directory);
  }
  if (spec.application_directories.size() > kApplicationDirectoriesMax)
    return bad_input("A job can name at most " + std::to_string(kApplicationDirectoriesMax) +
                     " directories of applications.");
  return {};
}

Status fill_name(const wire::JobSpec& request, JobSpec& spec) {
  if (request.name().size() > kNameBytesMax)
    return bad_input("The name of the job has " + counted(request.name().size(), "byte") + ", and may have " +
                     std::to_string(kNameBytesMax) + ".");
  if (!is_priority(request.priority()))
    return bad_input("The priority must lie between " + std::to_string(-kPriorityMost) + " and " +
                     std::to_string(kPriorityMost) + ".");
  spec.name = readable(request.name());
  spec.priority = request.priority();
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
  const Status status = scheduler::check_policy(name.substr(0, kNameBytesMax), parameters);
  return status ? Status() : bad_input(readable(status.error().message));
}

Directories directories_of(const wire::JobSpec& request) {
  return request.top_level_only() ? Directories::TopLevelOnly : Directories::WithThoseBelow;
}

Result<JobSpec> begin_job(const wire::JobSpec& request, const PolicyChoice& policy) {
  JobSpec spec;
  if (Status status = fill_policy(request, policy, spec); !status) return status.error();
  spec.kill_on_miss = request.kill_on_miss();
  for (const auto fill : {fill_application, fill_estimator, fill_durations, fill_limits, fill_files,
                          fill_application_directories, fill_name}) {
    if (Status status = fill(request, spec); !status) return status.error();
  }
  Result<std::string> output = output_of(request);
  if (!output) return output.error();
  spec.output = std::move(*output);
  return spec;
}

Result<JobSpec> finish_job(const wire::JobSpec& request, JobSpec spec, std::vector<scheduler::InputFile> inputs) {
  scheduler::divide_input(spec, std::move(inputs), {request.split_bytes(), request.splits(), !request.file_tasks()});
  if (Status status = check_task_count(spec); !status) return status.error();
  return spec;
}

}  // namespace ontime::master
