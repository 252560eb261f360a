// What runners and the launcher do, and the reports that follow from it.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "common/log/fields.h"
#include "common/protocol/convert.h"
#include "worker/agent/attempts/slots.h"
#include "worker/agent/runners/text.h"

namespace ontime::worker {
namespace {

constexpr std::size_t kMessageBytesMax = 4u << 10;
constexpr std::size_t kWaitingMax = 1000;  // seals of one attempt

// Where the attempt was: "; it had mapped /data/text up to byte 4096".
std::string place_of(const Attempt& attempt) {
  const wire::InputFile& file = attempt.launch().file();
  std::string path = file.path();
  if (file.codec() != wire::PLAIN && !file.parts().empty())
    return "; it had mapped " + path + " and the files behind it up to byte " + std::to_string(attempt.offset());
  std::uint64_t begin = 0;
  std::uint64_t end = file.parts_begin();
  for (const wire::InputPart& part : file.parts()) {
    path = part.path();
    begin = end;
    end += part.size();
    if (attempt.offset() <= end) break;
  }
  return "; it had mapped " + path + " up to byte " + std::to_string(attempt.offset() - begin);
}

}  // namespace

Slots::Running* Slots::running_in(const RunnerLink& runner) {
  if (!runner.attempt()) return nullptr;
  const auto found = attempts_.find(*runner.attempt());
  return found != attempts_.end() && found->second.runner.get() == &runner ? &found->second : nullptr;
}

void Slots::on_runner_message(RunnerLink& runner, const wire::FromRunner& message) {
  Running* running = running_in(runner);
  if (running == nullptr || protocol::attempt_id(message.attempt()) != running->attempt.id()) {
    return fail_for(runner, "it spoke for another attempt");
  }
  if (Status possible = running->attempt.check(message); !possible) return fail_for(runner, possible.error().message);
  if (message.has_failed()) return fail(runner, message.failed());
  if (message.has_address_wanted()) return give_address(*running, message.address_wanted().part());
  if (message.has_noted()) return notes_.add(message.attempt(), message.noted());
  if (!message.has_sealed() && !message.has_finished()) return hear(*running, message);
  if (running->waiting.size() == kWaitingMax)
    return fail(runner, wire::OUTPUT, "the attempt seals segments faster than the store takes them");
  running->waiting.push_back(message);
  if (running->waiting.size() == 1) sync_next(*running);
}

void Slots::hear(Running& running, const wire::FromRunner& message) {
  if (message.has_finished()) return on_finished(running);
  RunnerLink& runner = *running.runner;
  auto report = running.attempt.on_message(message);
  if (!report) return fail_for(runner, report.error().message);
  if (message.has_status()) runner.note_status(message.status().text());
  if (message.has_sealed()) collect_log(running);  // before the report: the job may be over with it
  if (*report) reports_.append(std::move(**report));
  if (message.has_cut()) ask_cut(running);
  if (message.has_ready()) pass_begin(running);
}

void Slots::sync_next(Running& running) {
  const AttemptId id = running.attempt.id();
  const wire::FromRunner& message = running.waiting.front();
  const wire::SealedOutput& output = message.sealed().output();
  if (message.has_finished() || output.length() == 0) return void(on_synced(id, {}));
  running.output->sync({output.file_offset(), output.length()},
                       [this, id](const Status& status) { return on_synced(id, status); });
}

bool Slots::on_synced(AttemptId id, const Status& status) {
  auto found = attempts_.find(id);
  if (found == attempts_.end()) return false;
  if (!status) {
    const bool is_away = status.error().kind == ErrorKind::Unavailable;
    fail(*found->second.runner, is_away ? wire::AWAY : wire::OUTPUT, status.error().message);
    return true;
  }
  const wire::FromRunner message = std::move(found->second.waiting.front());
  hear(found->second, message);  // it may be over with that
  found = attempts_.find(id);
  if (found == attempts_.end()) return true;
  found->second.waiting.pop_front();
  if (!found->second.waiting.empty()) sync_next(found->second);
  return true;
}

void Slots::on_runner_garbled(RunnerLink& runner) { fail_for(runner, "it sent bytes that are no message"); }

// Cuts that still wait are answered by the seals that were sent: there is nothing left to cut.
void Slots::on_finished(Running& running) {
  const std::shared_ptr<RunnerLink> runner = running.runner;
  if (auto finished = running.attempt.on_finished(); !finished) return fail_for(*runner, finished.error().message);
  const AttemptId id = running.attempt.id();
  spdlog::debug("attempt_finished {}", id);
  collect_log(running);
  runner->on_finished();
  attempts_.erase(id);
  // Its job was forgotten meanwhile, or the next attempt would begin with less CPU time.
  if (!setups_.contains(id.task.job) || options_.limits.cpu_seconds > 0) runner->kill();
}

void Slots::on_runner_over(RunnerLink& runner, int wait_status) {
  std::string message = "the attempt's process " + describe_process_end(wait_status);
  message += used_up_by(wait_status, options_.limits);
  if (Running* running = running_in(runner)) {
    static_cast<void>(observe(*running));  // it has failed anyway
    message += place_of(running->attempt);
  }
  fail(runner, wire::CRASHED, message);
  drop(runner.number());
}

void Slots::on_directory_made(std::uint64_t runner, const Status& made) {
  auto waiting = starting_.extract(runner);
  const auto found = runners_.find(runner);
  if (waiting.empty() || found == runners_.end()) return;
  if (!made) fail(*found->second, wire::LAUNCH, made.error().message);
  if (found->second->is_killed()) return drop(runner);  // meanwhile, and there is no process
  launcher_.spawn(runner, std::move(waiting.mapped().ends), waiting.mapped().user);
  if (waiting.mapped().output) launcher_.open_output(runner, *std::move(waiting.mapped().output));
}

void Slots::on_runner_spawned(std::uint64_t runner, pid_t pid) {
  if (const auto found = runners_.find(runner); found != runners_.end()) found->second->on_spawned(pid);
}

void Slots::on_runner_exited(std::uint64_t runner, int wait_status) {
  const auto found = runners_.find(runner);
  if (found == runners_.end()) return;
  const std::shared_ptr<RunnerLink> link = found->second;
  link->on_exited(wait_status);
  if (link->is_killed()) drop(runner);
}

void Slots::on_spawn_failed(std::uint64_t runner, const std::string& why) {
  const auto found = runners_.find(runner);
  if (found == runners_.end()) return;
  fail(*found->second, wire::LAUNCH, "the attempt's process could not be started: " + why);
  drop(runner);
}

void Slots::on_launcher_lost() {
  const auto runners = std::exchange(runners_, {});
  starting_.clear();
  for (const auto& [number, runner] : runners) {
    fail(*runner, wire::LAUNCH, "the process that starts attempts has died, and the attempt with it");
    files_.remove_directory(number);
    leave_user(JobId{runner->setup()->job()});
  }
}

void Slots::fail(RunnerLink& runner, wire::Failure failure, std::string message) {
  fail(runner, ended(failure, std::move(message)));
}

void Slots::fail(RunnerLink& runner, wire::Ended ended) {
  if (const Running* running = running_in(runner)) {
    const AttemptId id = running->attempt.id();
    ended.set_stderr_tail(runner.stderr_text());
    collect_log(*running);
    runner.kill();
    attempts_.erase(id);
    report_end(id, std::move(ended));
  }
  runner.kill();
}

void Slots::fail_for(RunnerLink& runner, const std::string& breach) {
  fail(runner, wire::CRASHED, "the attempt's process broke the protocol: " + breach);
}

void Slots::collect_log(const Running& running) { logs_.add(running.attempt.id(), running.runner->take_log()); }

void Slots::refill_logs() {
  logs_.refill();
  if (notes_.is_empty()) notes_.refill();
  for (const auto& [id, running] : attempts_) collect_log(running);
}

std::optional<wire::ToMaster::Logs> Slots::take_logs() {
  if (logs_.is_empty()) return std::nullopt;
  return logs_.take();
}

std::optional<wire::ToMaster::Notes> Slots::take_notes() {
  if (notes_.is_empty()) return std::nullopt;
  return notes_.take();
}

void Slots::report_end(AttemptId id, wire::Ended ended) {
  if (ended.failure() == wire::FAILURE_NONE) ended.set_failure(wire::CRASHED);
  ended.set_message(std::string(head_of(to_utf8(ended.message()), kMessageBytesMax)));
  wire::Report report;
  *report.mutable_attempt() = protocol::to_wire(id);
  spdlog::warn("attempt_failed {} message={}", id, log::Quoted{ended.message()});
  *report.mutable_ended() = std::move(ended);
  reports_.append(std::move(report));
}

void Slots::drop(std::uint64_t runner) {
  const auto dropped = runners_.extract(runner);
  if (dropped.empty()) return;
  files_.remove_directory(runner);
  leave_user(JobId{dropped.mapped()->setup()->job()});
}

void Slots::leave_user(JobId job) {
  const auto is_of_job = [&](const auto& entry) { return entry.second->setup()->job() == job.value; };
  if (!users_ || std::any_of(runners_.begin(), runners_.end(), is_of_job)) return;
  if (const auto user = users_->give_back(job)) launcher_.sweep(*user);
}

void Slots::sweep_left_behind() {
  if (!users_) return;
  for (const uid_t user : users_->left_behind()) launcher_.sweep(user);
}

}  // namespace ontime::worker
