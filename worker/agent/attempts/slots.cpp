// The master's orders, and where attempts are placed. What runners do is in slots_events.cpp.
#include "worker/agent/attempts/slots.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "common/log/fields.h"
#include "common/protocol/convert.h"
#include "common/protocol/version.h"
#include "common/store/name.h"

namespace ontime::worker {
namespace {

wire::ToRunner::Setup runner_setup(const wire::JobSetup& job, const Slots::Options& options) {
  wire::ToRunner::Setup setup;
  *setup.mutable_job() = job;
  setup.mutable_job()->mutable_spec()->clear_files();
  for (const std::string& directory : job.spec().application_directories())
    if (!options.has_only_own_apps) setup.add_application_directories(directory);
  for (const std::string& directory : options.application_directories) setup.add_application_directories(directory);
  for (const std::string& root : options.input_roots.resolved()) setup.add_input_roots(root);
  for (const std::string& root : options.output_roots.resolved()) setup.add_output_roots(root);
  return setup;
}

// The file's path; of a group, the path of the part with this index.
const std::string& path_of(const wire::InputFile& file, std::uint32_t part) {
  return file.parts().empty() ? file.path() : file.parts(static_cast<int>(part)).path();
}

bool is_same(const wire::JobSetup& a, const wire::JobSetup& b) {
  return a.SerializeAsString() == b.SerializeAsString();
}

}  // namespace

Slots::Slots(asio::any_io_executor executor, Options options, ReportLog& reports, LauncherLink& launcher,
             AttemptOutputs& outputs)
    : executor_(std::move(executor)),
      options_(std::move(options)),
      reports_(reports),
      launcher_(launcher),
      outputs_(outputs),
      lender_([this](const std::string& name, const http::Failure& failure) { refusals_.add(name, failure.message); }),
      disturber_(options_.node_name),
      files_(executor_, options_.before_file_work) {
  if (options_.users) users_.emplace(*options_.users);
}

Slots::~Slots() { stop(); }

void Slots::stop() {
  attempts_.clear();
  for (const auto& [number, runner] : runners_) runner->kill();
  launcher_.stop();
  runners_.clear();
  starting_.clear();
}

// Idle runners are not carried into a new session: the master may have another idea of their jobs.
Status Slots::begin_session(const wire::ToWorker::Welcome& welcome) {
  if (auto adopted = disturber_.adopt(welcome); !adopted) return adopted;
  for (const wire::Attempt& attempt : welcome.fenced()) kill(protocol::attempt_id(attempt), "fenced");
  syncs_at_commit_ = welcome.syncs_at_commit();
  setups_.clear();
  end_idle_runners();
  return {};
}

void Slots::give_address(Running& running, std::uint32_t part) {
  const wire::InputFile& file = running.attempt.launch().file();
  if (part > 0 && part >= static_cast<std::uint32_t>(file.parts_size()))
    return fail_for(*running.runner, "it has no such file");
  wire::ToRunner::Address given;
  auto address = lender_.lend(path_of(file, part));
  if (address) given.set_address(std::move(*address));
  if (!address) given.set_error(address.error().message);
  running.runner->give_address(std::move(given));
}

Status Slots::obey(const wire::Order& order) {
  switch (order.what_case()) {
    case wire::Order::kSetup:
      return on_setup(order.setup());
    case wire::Order::kLaunch:
      return on_launch(order.launch());
    case wire::Order::kBegin:
      return on_begin(order.begin());
    case wire::Order::kCut:
      return on_cut(order.cut());
    case wire::Order::kKill:
      kill(protocol::attempt_id(order.kill().attempt()), order.kill().reason());
      return {};
    case wire::Order::kForget:
      forget(JobId{order.forget().job()});
      return {};
    case wire::Order::kRelease:  // the link's own
    case wire::Order::WHAT_NOT_SET:
      break;
  }
  return bad_input("the master sent an order that means nothing");
}

void Slots::add_progress(google::protobuf::RepeatedPtrField<wire::AttemptProgress>& to) {
  for (auto next = attempts_.begin(); next != attempts_.end();) {
    Running& running = (next++)->second;
    if (Status observed = observe(running); observed)
      *to.Add() = running.attempt.progress();
    else
      fail_for(*running.runner, observed.error().message);  // and it is over
  }
}

Status Slots::on_setup(const wire::JobSetup& setup) {
  if (setup.job() == 0) return bad_input("the master set up job 0");
  if (setups_.size() >= kJobsMax) return bad_input("the master set up too many jobs without forgetting one");
  setups_[JobId{setup.job()}] = std::make_shared<const wire::JobSetup>(setup);
  return {};
}

Status Slots::on_launch(const wire::Order::Launch& launch) {
  const AttemptId id = protocol::attempt_id(launch.attempt());
  if (attempts_.contains(id)) return {};  // the order came twice
  const auto setup = setups_.find(id.task.job);
  if (setup == setups_.end()) return bad_input("the master launched " + to_string(id) + " before it set up its job");
  if (attempts_.size() >= 2 * std::size_t{options_.slots}) {
    return bad_input("the master launched more attempts than this worker has slots");
  }
  if (reports_.is_full()) return bad_input("the master does not acknowledge reports");
  if (auto placed = place(id, launch, setup->second); !placed) {
    report_end(id, ended(placed.error().failure, placed.error().message));
  }
  return {};
}

Result<void, Slots::Refusal> Slots::place(AttemptId id, const wire::Order::Launch& launch, const Setup& setup) {
  if (!protocol::is_understood(std::max(setup->needs_minor(), launch.needs_minor()))) {
    return Refusal{wire::BAD_APPLICATION, "the job needs a newer worker than this one, which is " +
                                              protocol::describe_own_version() + "; upgrade it as the master was"};
  }
  std::shared_ptr<RunnerLink> runner = find_idle(setup);
  const bool is_new = runner == nullptr;
  if (is_new) {
    auto spawned = spawn(setup);
    if (!spawned) return std::move(spawned).error();
    runner = std::move(*spawned);
  }
  auto output = outputs_.create(setup->output(), id);
  if (!output) {
    const bool is_of_output = output.error().kind == ErrorKind::BadInput;
    return Refusal{is_of_output ? wire::OUTPUT : wire::LAUNCH, std::move(output).error().message};
  }
  wire::ToRunner::Run run;
  *run.mutable_launch() = launch;
  run.set_output_path((*output)->path());
  if (const std::string& path = path_of(launch.file(), 0); store::is_name(path)) {
    auto address = lender_.lend(path);
    if (!address) {
      // A name that cannot be right says nothing of this machine: the next one would refuse it too. All else does: its
      // keys, the token's file, its environment.
      const wire::Failure failure = store::parse_name(path) ? wire::LAUNCH : wire::INPUT;
      return Refusal{failure, std::move(address).error().message};
    }
    run.set_address(std::move(*address));
  }
  if (auto disturbance = disturber_.draw(launch, setup->tasks(), !is_new))
    *run.mutable_disturbance() = std::move(*disturbance);
  if (options_.user || users_) {
    const auto waiting = starting_.find(runner->number());
    if (waiting == starting_.end())
      launcher_.open_output(runner->number(), run.output_path());
    else
      waiting->second.output = run.output_path();
  }
  runner->run(id, std::move(run));
  attempts_.emplace(id, Running{Attempt(id, launch), std::move(runner), std::move(*output)});
  spdlog::debug("attempt_launched {} begin={} end={} standby={} reused={}", id, launch.range().begin(),
                launch.range().end(), launch.standby(), !is_new);
  return {};
}

// The youngest of the job: its memory is the most likely to be warm.
std::shared_ptr<RunnerLink> Slots::find_idle(const Setup& setup) const {
  for (auto i = runners_.rbegin(); i != runners_.rend(); ++i) {
    const RunnerLink& runner = *i->second;
    if (runner.attempt() || runner.is_killed()) continue;
    if (runner.setup() == setup || is_same(*runner.setup(), *setup)) return i->second;
  }
  return nullptr;
}

Result<std::shared_ptr<RunnerLink>, Slots::Refusal> Slots::spawn(const Setup& setup) {
  make_room();
  if (auto fits = check_dying(JobId{setup->job()}); !fits) return std::move(fits).error();
  const auto user = user_of(JobId{setup->job()});
  if (!user) return user.error();
  const std::uint64_t number = last_runner_ + 1;
  const auto directory = files_.make_directory(number, setup, *user != 0 ? *user : options_.user.value_or(::geteuid()),
                                               [this, number](const Status& made) { on_directory_made(number, made); });
  if (!directory) {
    leave_user(JobId{setup->job()});
    return Refusal{wire::LAUNCH, directory.error().message};
  }
  RunnerEnds ends;
  auto runner = RunnerLink::make(executor_, *this, ++last_runner_, setup, ends);
  if (!runner) {
    files_.remove_directory(last_runner_);
    leave_user(JobId{setup->job()});
    return Refusal{wire::LAUNCH, runner.error().message};
  }
  runners_.emplace(last_runner_, *runner);
  if (directory->empty())
    launcher_.spawn(last_runner_, std::move(ends), *user);
  else
    starting_.emplace(last_runner_, Waiting{std::move(ends), *user});
  wire::ToRunner::Setup first = runner_setup(*setup, options_);
  first.set_syncs_at_commit(syncs_at_commit_);
  first.set_directory(*directory);
  if (!options_.output_roots.are_everywhere()) {
    if (const auto scratch = outputs_.scratch()) first.add_output_roots(*scratch);
  }
  (*runner)->send_setup(first);
  return std::move(*runner);
}

Result<uid_t, Slots::Refusal> Slots::user_of(JobId job) {
  if (!users_) return uid_t{0};
  if (const auto user = users_->take(job)) return *user;
  sweep_left_behind();
  return Refusal{wire::LAUNCH,
                 "no user of --run-as is free on this worker: processes of earlier jobs still have them all; do disks "
                 "hang? Restart the worker with a longer range if they do not end"};
}

std::size_t Slots::living_runners() const {
  return static_cast<std::size_t>(
      std::count_if(runners_.begin(), runners_.end(), [](const auto& entry) { return !entry.second->is_killed(); }));
}

Result<void, Slots::Refusal> Slots::check_dying(JobId job) const {
  std::size_t dying = 0;
  std::size_t of_job = 0;
  for (const auto& [number, runner] : runners_) {
    if (!runner->is_killed()) continue;
    ++dying;
    of_job += runner->setup()->job() == job.value;
  }
  if (of_job >= kDyingOfJobFactor * options_.slots + kDyingOfJobExtra) {
    return Refusal{wire::INPUT,
                   "killed attempts of this job do not end on this worker; does the disk of its input or output hang?"};
  }
  if (dying >= kDyingFactor * options_.slots + kDyingExtra) {
    return Refusal{wire::LAUNCH, "too many killed attempts of this worker do not end; do disks hang?"};
  }
  return {};
}

void Slots::make_room() {
  std::size_t living = living_runners();
  for (const auto& [number, runner] : runners_) {
    if (living < 2 * std::size_t{options_.slots}) return;
    if (runner->attempt() || runner->is_killed()) continue;
    runner->kill();
    --living;
  }
}

void Slots::end_idle_runners() {
  for (const auto& [number, runner] : runners_) {
    if (!runner->attempt()) runner->kill();
  }
}

Status Slots::on_begin(const wire::Order::Begin& begin) {
  const auto found = attempts_.find(protocol::attempt_id(begin.attempt()));
  if (found == attempts_.end()) return {};  // it has just ended
  if (auto begun = found->second.attempt.begin(protocol::byte_range(begin.range())); !begun) return begun;
  if (begin.has_start()) found->second.start = begin.start();
  pass_begin(found->second);
  return {};
}

void Slots::pass_begin(Running& running) {
  const auto range = running.attempt.next_begin();
  if (!range) return;
  running.runner->begin(*range, std::exchange(running.start, {}));
  running.attempt.on_begun();
  ask_cut(running);
}

Status Slots::on_cut(const wire::Order::Cut& cut) {
  const auto found = attempts_.find(protocol::attempt_id(cut.attempt()));
  if (found == attempts_.end()) return {};  // it has just ended, which answers the cut
  found->second.attempt.add_cut({cut.at(), cut.release()});
  ask_cut(found->second);
  return {};
}

void Slots::ask_cut(Running& running) {
  const auto cut = running.attempt.next_cut();
  if (!cut) return;
  SharedProgress& progress = running.runner->progress();
  if (progress.is_cut()) return answer_cut(running);  // it is as busy as it was
  running.attempt.on_cut_asked(progress.request_cut(cut->at, cut->release));
  limit_wait(running);
}

// The runner is inside a record, in its start, or waits for somebody who does not read: it may take long to come here.
void Slots::limit_wait(Running& running) {
  running.patience = std::make_unique<asio::steady_timer>(executor_, options_.answer_time);
  running.patience->async_wait([this, id = running.attempt.id()](const asio::error_code& error) {
    if (error) return;
    if (const auto found = attempts_.find(id); found != attempts_.end()) answer_cut(found->second);
  });
}

void Slots::answer_cut(Running& running) {
  Attempt& attempt = running.attempt;
  SharedProgress& progress = running.runner->progress();
  const Cut* asked = attempt.asked_cut();
  const std::optional<Cut> next = attempt.next_cut();
  if (asked == nullptr && !next) return;
  if (asked == nullptr && !progress.is_cut()) return ask_cut(running);  // it has come, and can be asked
  const auto at = progress.cut(asked != nullptr ? *asked : *next, attempt.held());
  if (!at) {
    if (asked == nullptr) limit_wait(running);
    return;
  }
  if (asked == nullptr) attempt.on_cut_asked(progress.skip_request());
  spdlog::debug("cut_answered {} at={} instead=runner", attempt.id(), *at);
  hear(running, attempt.answer(*at));
}

Status Slots::observe(Running& running) {
  const SharedProgress& progress = running.runner->progress();
  if (const auto marks = progress.segment())
    running.attempt.observe_segment(*marks, std::chrono::steady_clock::now().time_since_epoch());
  return running.attempt.observe(progress.positions());
}

// Forgotten at once: what the runner still says is not heard any more, its slot is free.
void Slots::kill(AttemptId id, const std::string& reason) {
  const auto found = attempts_.find(id);
  if (found == attempts_.end()) return;
  spdlog::info("attempt_killed {} reason={}", id, log::Quoted{reason});
  collect_log(found->second);
  found->second.runner->kill();
  attempts_.erase(id);
}

void Slots::forget(JobId job) {
  if (const auto setup = setups_.find(job); setup != setups_.end()) outputs_.forget(setup->second->output());
  setups_.erase(job);
  for (const auto& [number, runner] : runners_) {
    if (!runner->attempt() && runner->setup()->job() == job.value) runner->kill();
  }
}

}  // namespace ontime::worker
