#include "master/advice/advice.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <utility>

#include "common/base/limits.h"
#include "common/base/units.h"
#include "common/protocol/convert.h"
#include "master/base/text.h"
#include "master/submissions/submission.h"
#include "scheduler/policies/policy.h"

namespace ontime::master {
namespace {

using scheduler::JobSpec;
using Tasks = google::protobuf::RepeatedPtrField<wire::ToAdvisor::Task>;

constexpr std::size_t kPathsBytesMax = 64 << 20;      // of all tasks: each has its own copy of what is said once
constexpr std::uint32_t kNeverFails = 1'000'000'000;  // how often a task may fail is Hadoop's to say

// What names the mappers, as the name of an application: org.example.WordCount$Map becomes org-example-wordcount-map.
std::string application_of(const std::string& name) {
  std::string plain = name.substr(0, kNameBytesMax);
  for (char& c : plain) {
    const auto byte = static_cast<unsigned char>(c);
    c = byte < 0x80 && std::isalnum(byte) != 0 ? static_cast<char>(std::tolower(byte)) : '-';
  }
  return plain.empty() ? "hadoop" : plain;
}

bool cuts(const std::string& policy) { return policy == "shed" || policy == "shed+" || policy == "s-resume"; }

// What Ontime's `auto` takes has no place in Hadoop, where nothing is divided and every attempt is launched.
void resolve_auto(const wire::ToAdvisor::Job& job, PolicyChoice& policy) {
  if (job.settings().deadline() <= 0) {
    policy.name = "mantri";
    policy.parameters.try_emplace("delta", "0.5");
  } else if (job.resumable()) {
    policy.name = "shed+";
    policy.parameters.try_emplace("tail", "auto");
  } else {
    policy.name = "s-restart";
  }
}

// The job's own choice, but for a policy that cuts where nothing can be cut. Then copies begin at the begin.
void resolve(const wire::ToAdvisor::Job& job, PolicyChoice& policy) {
  if (policy.name == "auto") return resolve_auto(job, policy);
  if (!cuts(policy.name) || job.resumable()) return;
  const auto cutting = scheduler::parameters_of(policy.name);
  resolve_auto(job, policy);
  const auto copying = scheduler::parameters_of(policy.name);
  std::erase_if(policy.parameters, [&](const auto& parameter) {
    return cutting.contains(parameter.first) && !copying.contains(parameter.first);
  });
}

// A parameter that has only one value that Hadoop can carry out.
Status insist(PolicyChoice& policy, const char* name, const char* value, const char* why) {
  if (!scheduler::parameters_of(policy.name).contains(name)) return {};
  const auto [given, is_new] = policy.parameters.emplace(name, value);
  if (is_new || given->second == value) return {};
  return bad_input("The policy '" + policy.name + "' runs on Hadoop with " + name + "=" + value + " only: " + why);
}

Status fit_to_hadoop(const wire::ToAdvisor::Job& job, PolicyChoice& policy) {
  resolve(job, policy);
  // YARN's queue, and launches that take half a minute, make jobs late that need help all the same.
  if (scheduler::parameters_of(policy.name).contains("late")) policy.parameters.try_emplace("late", "mantri");
  if (policy.name == "split-resume") {
    return bad_input(std::string("The policy 'split-resume' does not run on Hadoop: ") +
                     (job.has_reducers() ? "reducers fetch the output of one attempt of each map task"
                                         : "the output of one attempt of each map task is committed") +
                     ", so a task's remainder cannot be divided among several; choose shed+ or s-resume.");
  }
  if (Status status = insist(policy, "release", "yes", "an attempt has one output, so one that is cut ends there.");
      !status)
    return status;
  return insist(policy, "handover", "predicted", "a copy must know where to begin when it is launched.");
}

// Fills in the splits; Failed for what no sane application master says.
Status fill_tasks(const Tasks& tasks, JobSpec& spec) {
  if (tasks.empty()) return bad_input("The job has no map tasks, so there is nothing to plan.");
  if (tasks.size() > static_cast<int>(kFilesMax))
    return bad_input("The job has more than " + std::to_string(kFilesMax) + " map tasks.");
  std::string path;
  std::size_t bytes = 0;
  spec.split_bytes = 1;
  spec.inputs.reserve(static_cast<std::size_t>(tasks.size()));
  for (const wire::ToAdvisor::Task& task : tasks) {
    if (!task.path().empty()) path = readable(task.path().substr(0, kPathBytesMax));
    bytes += path.size();
    if (bytes > kPathsBytesMax) return bad_input("The paths of the job's map tasks have more than 64 MiB together.");
    if (task.length() > kOffsetMax) return bad_input("A split of the job is longer than any file.");
    scheduler::InputFile input;
    input.path = path;
    input.size = std::max<std::uint64_t>(1, task.length());  // what is empty is done at once
    spec.split_bytes = std::max(spec.split_bytes, input.size);
    spec.inputs.push_back(std::move(input));
  }
  return {};
}

bool is_id(const std::string& id) {
  return !id.empty() && id.size() <= kNameBytesMax && readable(id) == id && id.find('\n') == id.npos;
}

}  // namespace

Result<JobSpec> advised_job(const wire::ToAdvisor::Job& job, const PolicyChoice& otherwise) {
  if (!is_id(job.id())) return bad_input("The job has no id that can be one.");
  JobSettings settings = protocol::job_settings(job.settings());
  if (!settings.compress.empty() || !settings.parts_suffix.empty())
    return bad_input("Hadoop writes the output of its jobs; set mapreduce.output.fileoutputformat.compress there.");
  PolicyChoice policy = settings.policy.empty() ? otherwise : PolicyChoice{settings.policy, {}};
  for (const auto& [name, value] : settings.policy_parameters) policy.parameters[name] = value;
  if (Status status = fit_to_hadoop(job, policy); !status) return status.error();
  wire::JobSpec request;
  request.set_application(application_of(job.application()));
  settings.name.resize(std::min(settings.name.size(), kNameBytesMax));
  settings.policy = policy.name;
  settings.policy_parameters = policy.parameters;
  settings.checkpoint_interval = Duration(0);
  settings.attempt_timeout = scheduler::kNoTimeout;
  request.set_output("/hadoop");  // one has to be given; the job gets none
  if (settings.deadline > Duration(0))
    settings.deadline -= std::clamp(Duration(job.elapsed_ns()), Duration(0), settings.deadline - Duration(1));
  protocol::put(settings, request.mutable_settings());
  Result<JobSpec> spec = begin_job(request, otherwise);
  if (!spec) return spec;
  spec->advised = true;
  spec->output.clear();
  spec->claim = job.id();
  spec->attempts_max = kNeverFails;
  if (Status status = fill_tasks(job.tasks(), *spec); !status) return status.error();
  return spec;
}

Status check_event(const wire::AttemptEvent& event, std::uint32_t tasks) {
  if (event.task() >= tasks) return failed("an event of a task that the job does not have");
  if (event.attempt() >= kHadoopAttemptsMax) return failed("an event of an attempt that cannot exist");
  const std::uint64_t number =
      std::max({event.started().begin(), event.progress().offset(), event.progress().records(), event.cut().at(),
                event.sealed().at(), event.sealed().records(), event.ended().records()});
  if (number > kOffsetMax) return failed("an event with an impossible number");
  for (const std::int64_t age : {event.started().age_ns(), event.progress().mapping_ns()}) {
    if (age < 0 || age > kDurationMost.count()) return failed("an impossible age");
  }
  if (event.started().node().size() > kNameBytesMax) return failed("a node's name is too long");
  if (event.what_case() == wire::AttemptEvent::WHAT_NOT_SET) return failed("an event that says nothing");
  if (event.has_ended() && event.ended().outcome() == wire::AttemptEvent::OUTCOME_NONE) {
    return failed("an end without an outcome");
  }
  return {};
}

}  // namespace ontime::master
