#include "tests/load/simulated_worker.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <utility>

#include "common/base/crc32c.h"
#include "common/net/coroutine.h"
#include "common/protocol/convert.h"

namespace ontime::load {
namespace {

constexpr std::uint32_t kTasksWithFiles = 10'000;  // jobs of more are killed and never committed

wire::Report about(AttemptId id) {
  wire::Report report;
  *report.mutable_attempt() = protocol::to_wire(id);
  return report;
}

void touch(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (file >= 0) ::close(file);
}

asio::awaitable<void> keep(worker::MasterLink& link, Failures& failures) {
  const Error error = co_await link.run();
  failures.add("a worker was given up: " + error.message);
}

}  // namespace

SimulatedWorker::SimulatedWorker(asio::any_io_executor executor, worker::MasterLink::Options options, Crowd& crowd)
    : crowd_(crowd), link_(executor, std::move(options), reports_, *this), executor_(executor), due_(executor) {}

void SimulatedWorker::start() {
  asio::co_spawn(executor_, keep(link_, crowd_.failures), net::AbortOnException{"simulated_worker"});
}

Status SimulatedWorker::begin_session(const wire::ToWorker::Welcome& welcome) {
  for (const wire::Attempt& attempt : welcome.fenced()) crowd_.fenced += attempts_.erase(protocol::attempt_id(attempt));
  outputs_.clear();
  if (std::exchange(generation_, crowd_.generation) != crowd_.generation) ++crowd_.welcomed;
  return {};
}

Status SimulatedWorker::obey(const wire::Order& order) {
  switch (order.what_case()) {
    case wire::Order::kSetup:
      outputs_[JobId{order.setup().job()}] = order.setup().tasks() <= kTasksWithFiles ? order.setup().output() : "";
      break;
    case wire::Order::kLaunch:
      launch(order.launch());
      break;
    case wire::Order::kBegin:
      begin(order.begin());
      break;
    case wire::Order::kCut:
      cut(order.cut());
      break;
    case wire::Order::kKill:
      attempts_.erase(protocol::attempt_id(order.kill().attempt()));
      break;
    case wire::Order::kForget:
      outputs_.erase(JobId{order.forget().job()});
      break;
    case wire::Order::kRelease:
    case wire::Order::WHAT_NOT_SET:
      return bad_input("an order that means nothing");
  }
  arm();
  return {};
}

void SimulatedWorker::launch(const wire::Order::Launch& launch) {
  const AttemptId id = protocol::attempt_id(launch.attempt());
  const auto output = outputs_.find(id.task.job);
  if (output == outputs_.end()) return crowd_.failures.add(to_string(id) + " was launched before its job was set up");
  const ByteRange range = protocol::byte_range(launch.range());
  Running running{range, protocol::byte_range(launch.split()).size(), range.begin, Clock::now(), "", launch.standby()};
  if (!output->second.empty()) running.output = output->second + "/" + attempt_file_name(id);
  if (!attempts_.emplace(id, std::move(running)).second) return;  // the order came twice
  ++crowd_.launches;
  wire::Report report = about(id);
  if (launch.standby())
    report.mutable_ready();
  else
    report.mutable_started();
  this->report(std::move(report));
}

void SimulatedWorker::begin(const wire::Order::Begin& begin) {
  const auto found = attempts_.find(protocol::attempt_id(begin.attempt()));
  if (found == attempts_.end() || !found->second.standby) return;
  Running& running = found->second;
  running.standby = false;
  running.held = protocol::byte_range(begin.range());
  running.from = running.held.begin;
  running.since = Clock::now();
  wire::Report report = about(found->first);
  report.mutable_started();
  this->report(std::move(report));
}

// It jumps to the boundary that it is asked for, if it is not there yet.
void SimulatedWorker::cut(const wire::Order::Cut& cut) {
  const auto found = attempts_.find(protocol::attempt_id(cut.attempt()));
  if (found == attempts_.end()) return;
  Running& running = found->second;
  const std::uint64_t at = std::min(std::max(cut.at(), position(running)), running.held.end);
  wire::Report answer = about(found->first);
  answer.mutable_cut()->set_at(at);
  answer.mutable_cut()->set_release(cut.release());
  report(std::move(answer));
  if (at == running.held.end) return;
  if (at > running.held.begin) seal(found->first, running, {running.held.begin, at});
  running.held.begin = running.from = at;
  running.since = Clock::now();
  if (cut.release()) attempts_.erase(found);
}

void SimulatedWorker::seal(AttemptId id, const Running& running, ByteRange range) {
  if (!running.output.empty()) touch(running.output);
  wire::Report sealed = about(id);
  sealed.mutable_sealed()->mutable_range()->set_begin(range.begin);
  sealed.mutable_sealed()->mutable_range()->set_end(range.end);
  sealed.mutable_sealed()->set_input_end(range.end);
  sealed.mutable_sealed()->mutable_output()->set_records(range.size());
  sealed.mutable_sealed()->mutable_output()->set_crc32c(crc32c(""));
  report(std::move(sealed));
}

void SimulatedWorker::report(wire::Report report) {
  ++crowd_.reports;
  reports_.append(std::move(report));
}

std::uint64_t SimulatedWorker::position(const Running& running) const {
  if (running.standby) return running.held.begin;
  if (crowd_.attempt_time <= Duration::zero()) return running.held.end;
  const double share = seconds(Clock::now() - running.since) / seconds(crowd_.attempt_time);
  const auto mapped = static_cast<std::uint64_t>(share * static_cast<double>(running.split_bytes));
  return std::min(running.held.end, running.from + mapped);
}

Duration SimulatedWorker::left(const Running& running) const {
  const auto bytes = static_cast<double>(running.held.end - running.from);
  const double whole = seconds(crowd_.attempt_time) * bytes / static_cast<double>(running.split_bytes);
  return from_seconds(whole) - (Clock::now() - running.since);
}

void SimulatedWorker::hurry() { arm(); }

void SimulatedWorker::arm() {
  std::optional<Duration> next;
  for (const auto& [id, running] : attempts_) {
    if (!running.standby) next = std::min(next.value_or(Duration::max()), left(running));
  }
  if (!next) return;
  due_.expires_after(std::max(*next, Duration::zero()));
  due_.async_wait([this](const asio::error_code& error) {
    if (!error) finish_due();
  });
}

void SimulatedWorker::finish_due() {
  for (auto at = attempts_.begin(); at != attempts_.end();) {
    const auto& [id, running] = *at;
    if (running.standby || left(running) > Duration::zero()) {
      ++at;
      continue;
    }
    seal(id, running, running.held);
    std::vector<bool>& done = crowd_.done[id.task.job.value];
    if (done.size() <= id.task.index) done.resize(id.task.index + 1);
    if (!done[id.task.index]) ++crowd_.tasks_done;
    done[id.task.index] = true;
    at = attempts_.erase(at);
  }
  arm();
}

void SimulatedWorker::add_progress(google::protobuf::RepeatedPtrField<wire::AttemptProgress>& to) {
  for (const auto& [id, running] : attempts_) {
    wire::AttemptProgress& progress = *to.Add();
    *progress.mutable_attempt() = protocol::to_wire(id);
    progress.set_offset(position(running));
    progress.set_records(position(running) - running.held.begin);
  }
}

}  // namespace ontime::load
