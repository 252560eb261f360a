#include <algorithm>
#include <chrono>
#include <cstdio>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "cli/application_check.h"
#include "cli/client/follow.h"
#include "cli/commands/execute.h"
#include "cli/job_request.h"
#include "cli/show/table.h"
#include "cli/spooled_input.h"
#include "common/base/machine.h"
#include "lab/foresight/recorded_job.h"
#include "lab/verbs/command.h"
#include "lab/verbs/foresight_text.h"
#include "master/journal/sample_fields.h"
#include "master/recording/entry.h"
#include "master/recording/reader.h"
#include "scheduler/core/job_spec.h"

namespace ontime::lab {

using namespace cli;
namespace {

using scheduler::math::DurationSample;

constexpr std::uint32_t kPlannedTasksMax = 100'000;
constexpr std::uint32_t kTasksPlannedSoon = 4'000;  // in some seconds

// What is known of the application, and from where.
struct Knowledge {
  DurationSample sample;
  std::string source;
  std::uint32_t slots = 0;  // of the cluster that it comes from; 0: not known
};

std::string key_of(const wire::JobSpec& spec) {
  scheduler::JobSpec named;
  named.application = spec.application();
  for (const auto& entry : spec.parameters()) named.parameters[entry.key()] = entry.value();
  return scheduler::profile_key(named);
}

void note_profile(const scheduler::JournalRecord& record, const std::string& key, Knowledge& knowledge) {
  const auto* updated = std::get_if<scheduler::fact::ProfileUpdated>(&record.fact);
  if (updated != nullptr && updated->key == key) knowledge.sample = updated->sample;
}

// The latest profile in the recordings.
Result<Knowledge> read_recordings(const PlanCommand& command, const std::string& key) {
  const auto files = recordings_of(command.journal, command.recording);
  if (!files) return files.error();
  Knowledge knowledge;
  knowledge.source = "profile in " + (command.recording.empty() ? command.journal : command.recording);
  for (const std::string& file : *files) {
    auto reader = recording::Reader::open(file);
    if (!reader) return reader.error();
    while (true) {
      auto entry = reader->next();
      if (!entry) return entry.error();
      if (!*entry) break;
      if (const auto* known = std::get_if<scheduler::JournalRecord>(&**entry)) note_profile(*known, key, knowledge);
      const auto* step = std::get_if<recording::RecordedStep>(&**entry);
      for (const std::string& bytes : step != nullptr ? step->records : std::vector<std::string>{}) {
        const auto record = recording::decode_step_record(bytes);
        if (!record) return record.error();
        note_profile(*record, key, knowledge);
      }
    }
  }
  return knowledge;
}

Result<Knowledge> ask_master(const PlanCommand& command, const wire::JobSpec& spec) {
  auto options = client_options(command.master);
  if (!options) return options.error();
  MasterClient client(std::move(*options));
  const auto profile = client.profile(spec);
  if (!profile) return profile.error();
  Knowledge knowledge{{}, "profile of the master at " + command.master.address, profile->slots()};
  if (!journal::read_sample(*profile, knowledge.sample))
    return bad_input("the master at " + command.master.address + " knows a time that is none");
  return knowledge;
}

Error nothing_known(const PlanCommand& command, const std::string& why) {
  return bad_input("nothing is known of how long '" + command.job.application + "' with these parameters takes (" +
                   why +
                   "); run it once and give --master, --journal or --recording, or say it with --t-min and --beta");
}

Result<Knowledge> find_knowledge(const PlanCommand& command, const wire::JobSpec& spec) {
  if (command.t_min) return Knowledge{{}, command.launch ? "as given" : "as given, and a usual launch time", 0};
  const bool is_recorded = !command.journal.empty() || !command.recording.empty();
  auto knowledge = is_recorded ? read_recordings(command, key_of(spec)) : ask_master(command, spec);
  if (!knowledge && (is_recorded || knowledge.error().kind != ErrorKind::Unavailable)) return knowledge.error();
  if (!knowledge) return nothing_known(command, "there is no master at " + command.master.address);
  if (knowledge->sample.finished().empty()) return nothing_known(command, "there is no " + knowledge->source);
  return knowledge;
}

void set_launch(PlanQuestion& question, const PlanCommand& command, const DurationSample& sample) {
  const auto launches = sample.launches();
  if (command.launch)
    question.launch = Distribution::constant(seconds(*command.launch));
  else if (!launches.empty())
    question.launch = Distribution::empirical({launches.begin(), launches.end()});
}

Result<Planned> make_question(PlanCommand command) {
  if (Status named = add_named_inputs(command.job); !named) return named.error();
  SpooledInput standard_input(false);
  if (Status read = standard_input.read(command.job); !read) return read.error();
  if (Status found = look_up_by_name(command.job); !found) return found.error();
  const wire::JobSpec spec = make_job_spec(command.job, current_directory());
  if (Status known = check_application(command.job); !known) return known.error();
  const auto listed = list_inputs(spec);
  if (!listed) return listed.error();
  if (!listed->left_out.empty()) std::fprintf(stderr, "ontime: %s\n", printable(listed->left_out).c_str());
  const auto& inputs = listed->files;
  if (inputs.empty()) return bad_input("the input is empty: there is nothing to plan");
  const auto knowledge = find_knowledge(command, spec);
  if (!knowledge) return knowledge.error();
  Planned planned;
  planned.application = command.job.application;
  planned.source = knowledge->source;
  planned.price = command.price;
  PlanQuestion& question = planned.question;
  JobGroup& job = question.job;
  job.name = key_of(spec);
  scheduler::JobSpec divided;
  divided.split_bytes = job.size.split_bytes;
  scheduler::divide_input(divided, inputs, {command.job.split_bytes, command.job.splits, !command.job.file_tasks});
  job.size.split_bytes = divided.split_bytes;
  for (const scheduler::InputFile& file : divided.inputs) {
    if (!file.knows_length())
      return bad_input("'" + file.path + "' is compressed: nobody knows how much there is to map before it is mapped");
    job.size.file_bytes.push_back(file.length());
    planned.input_bytes += file.length();
  }
  job.size.record_bytes = 1;
  job.deadline.seconds = seconds(command.job.deadline);
  question.target = command.target;
  question.runs = command.runs;
  question.seed = command.seed;
  const std::uint32_t tasks = tasks_of(question);
  if (tasks > kPlannedTasksMax)
    return bad_input("the job would have " + std::to_string(tasks) + " tasks, and a plan simulates at most " +
                     std::to_string(kPlannedTasksMax) + "; give a larger --split-size or fewer --splits");
  if (tasks > kTasksPlannedSoon) std::fprintf(stderr, "ontime: simulating %u tasks takes a while\n", tasks);
  const std::uint32_t cores = machine_share().cores;
  question.slots = command.slots != 0 ? command.slots : knowledge->slots != 0 ? knowledge->slots : cores;
  if (command.t_min) {
    if (*command.t_min <= Duration(0)) return bad_input("--t-min is above 0");
    question.tail = scheduler::math::FittedTail::pareto(seconds(*command.t_min), command.beta);
  } else {
    const auto fitted = fitted_durations(knowledge->sample, job.size.split_bytes);
    if (!fitted) return nothing_known(command, "no attempt has finished");
    question.tail = fitted->tail;
    planned.beta_error = fitted->durations.beta_error;
    planned.samples = fitted->durations.samples;
    job.known.profile = knowledge->sample;
  }
  set_launch(question, command, knowledge->sample);
  set_start(job, knowledge->sample);
  return planned;
}

}  // namespace

Result<ExitCode> execute(const PlanCommand& command) {
  auto planned = make_question(command);
  if (!planned) return planned.error();
  std::vector<std::string> policies = command.policies;
  if (policies.empty()) policies = {"none", "hadoop", "shed+", "split-resume"};
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::future<Result<PlanAnswer>>> answers;  // a thread each
  for (const std::string& text : policies) {
    auto policy = read_policy_flag(text);
    if (!policy) return policy.error();
    answers.push_back(std::async(std::launch::async, plan, planned->question, std::move(*policy)));
  }
  for (std::size_t i = 0; i < policies.size(); ++i) {
    auto answer = answers[i].get();
    if (!answer) return answer.error();
    planned->rows.push_back({policies[i], std::move(*answer)});
  }
  planned->wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::fputs((command.json ? planned_json(*planned) : planned_text(*planned, command.explain)).c_str(), stdout);
  return ExitCode::Done;
}

}  // namespace ontime::lab
