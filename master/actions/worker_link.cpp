#include <algorithm>
#include <asio/co_spawn.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <utility>

#include "common/net/coroutine.h"
#include "common/output/manifest.h"
#include "common/protocol/convert.h"
#include "master/actions/action_dispatcher.h"
#include "master/base/settings.h"
#include "master/journal/job_fields.h"

namespace ontime::master {
namespace {

constexpr std::size_t kMessageBytes = 256u << 10;          // a larger one ends with a set-up, or the launch of a group
constexpr std::size_t kQueuedBytes = kOutboxBytesMax / 4;  // beyond which no such message is queued
constexpr int kOrdersBehindMost = 100'000;  // behind set-ups that wait; a worker that takes none of it all is let go

using protocol::put;

// The files of a group that lie in `range`; all of them if nobody knows where they lie.
void put_parts(const scheduler::InputFile& from, ByteRange range, wire::InputFile* to) {
  std::uint64_t begin = 0;
  for (const scheduler::InputPart& part : from.parts) {
    const ByteRange bytes{begin, begin + part.size};
    begin = bytes.end;
    const bool is_known = from.codec == Codec::Plain;
    if (is_known && (bytes.end <= range.begin || bytes.begin >= range.end)) continue;
    if (is_known && to->parts_size() == 0) to->set_parts_begin(bytes.begin);
    wire::InputPart* put = to->add_parts();
    put->set_path(part.path);
    put->set_size(part.size);
    put->set_version(part.version);
    put->set_codec(protocol::to_wire(part.codec));
  }
}

// With the access points that attempts on a part of `range` may begin at, or pass.
void put(const scheduler::InputFile& from, ByteRange range, wire::InputFile* to) {
  to->set_path(from.path);
  to->set_size(from.size);
  to->set_version(from.version);
  to->set_codec(protocol::to_wire(from.codec));
  to->set_content_bytes(from.content_bytes);
  const auto is_before = [](const AccessPoint& point, std::uint64_t offset) { return point.content < offset; };
  auto point = std::lower_bound(from.points.begin(), from.points.end(), range.begin, is_before);
  if (point != from.points.begin()) --point;
  for (; point != from.points.end() && point->content < range.end; ++point) {
    put(*point, to->add_points());
  }
  put_parts(from, range, to);
}

}  // namespace

void WorkerLink::welcome(const wire::ToWorker::Welcome& welcome) {
  wire::ToWorker message;
  *message.mutable_welcome() = welcome;
  static_cast<void>(connection_->send(message));
  is_welcome_ = true;
}

void WorkerLink::set_up(JobId job, const scheduler::JobSpec& spec, std::uint32_t tasks) {
  if (!set_up_.insert(job).second) return;
  wire::JobSetup* setup = add_order()->mutable_setup();
  setup->set_job(job.value);
  journal::put(spec, setup->mutable_spec());
  setup->mutable_spec()->clear_notify();  // they may hold secrets
  setup->set_output(output::attempts_directory(spec.output, spec.claim));
  setup->set_tasks(tasks);
  end_large_message();
}

// What comes behind it is sent once the connection has room.
void WorkerLink::end_large_message() {
  if (gathered_.ByteSizeLong() <= kMessageBytes) return;
  before_.push_back({std::exchange(gathered_, {}), 0, nullptr});
}

template <class Action>
void WorkerLink::await_start(const Action& action, const FindStart& find_start) {
  const std::uint64_t number = last_held_ + 1;
  const asio::any_io_executor executor = connection_->executor();
  auto start = [executor, number, link = weak_from_this()](std::optional<StartPoint> place) {
    asio::post(executor, [number, link, place = std::move(place)]() mutable {
      if (const auto open = link.lock()) open->start_at(number, std::move(place));
    });
  };
  const std::shared_ptr<const scheduler::InputFile> file(action.spec, &action.spec->inputs.at(action.split.file));
  if (!is_indexed(*action.spec, *file) || !find_start(action.attempt.task.job, file, action.range.begin, start)) return;
  last_held_ = number;
  auto patience = std::make_unique<asio::steady_timer>(executor, start_wait_max_);
  patience->async_wait([start](const asio::error_code& error) {
    if (!error) start(std::nullopt);
  });
  before_.push_back({std::exchange(gathered_, {}), number, std::move(patience)});
}

void WorkerLink::start_at(std::uint64_t number, std::optional<StartPoint> start) {
  const auto held =
      std::find_if(before_.begin(), before_.end(), [&](const Gathered& one) { return one.held == number; });
  if (held == before_.end()) return;  // it came too late
  wire::Order& order = *held->message.mutable_orders()->mutable_orders()->rbegin();
  if (start && order.has_launch()) put(std::move(*start), order.mutable_launch()->mutable_file()->mutable_start());
  if (start && order.has_begin()) put(std::move(*start), order.mutable_begin()->mutable_start());
  held->held = 0;
  held->patience.reset();
  flush();
}

void WorkerLink::order(const scheduler::action::LaunchAttempt& action, const FindStart& find_start) {
  set_up(action.attempt.task.job, *action.spec, action.tasks);
  wire::Order::Launch* launch = add_order()->mutable_launch();
  put(action.attempt, launch->mutable_attempt());
  const scheduler::InputFile& input = action.spec->inputs.at(action.split.file);
  put(input, action.range, launch->mutable_file());
  put(action.range, launch->mutable_range());
  put(action.split.range, launch->mutable_split());
  launch->set_standby(action.standby);
  if (launch->file().parts_size() > 0) return end_large_message();  // groups are read from their begins
  await_start(action, find_start);
}

void WorkerLink::order(const scheduler::action::BeginAttempt& action, const FindStart& find_start) {
  wire::Order::Begin* begin = add_order()->mutable_begin();
  put(action.attempt, begin->mutable_attempt());
  put(action.range, begin->mutable_range());
  await_start(action, find_start);
}

void WorkerLink::order(const scheduler::action::CutAttempt& action) {
  wire::Order::Cut* cut = add_order()->mutable_cut();
  put(action.attempt, cut->mutable_attempt());
  cut->set_at(action.at);
  cut->set_release(action.release);
}

void WorkerLink::order(const scheduler::action::KillAttempt& action) {
  wire::Order::Kill* kill = add_order()->mutable_kill();
  put(action.attempt, kill->mutable_attempt());
  kill->set_reason(action.reason);
}

void WorkerLink::order(const scheduler::action::ForgetJob& action) {
  set_up_.erase(action.job);  // the worker may know it from an earlier session
  add_order()->mutable_forget()->set_job(action.job.value);
}

void WorkerLink::order(const scheduler::action::ReleaseNode&) { add_order()->mutable_release(); }

void WorkerLink::acknowledge(std::uint64_t sequence) { acknowledged_ = std::max(acknowledged_, sequence); }

void WorkerLink::flush() {
  if (!is_welcome_) return;  // the welcome comes first; what is gathered before it follows it
  while (!before_.empty() && before_.front().held == 0 && connection_->queued_bytes() <= kQueuedBytes) {
    send(before_.front().message);
    before_.pop_front();
  }
  if (!before_.empty()) return wait_for_room();
  const bool has_news = acknowledged_ != acknowledged_sent_ || heartbeats_ != heartbeats_sent_;
  if (gathered_.orders().orders_size() == 0 && !has_news) return;
  send(gathered_);
  gathered_.Clear();
}

// With what is to be answered by now.
void WorkerLink::send(wire::ToWorker& message) {
  message.mutable_orders()->set_acknowledged(acknowledged_);
  message.mutable_orders()->set_heartbeats(heartbeats_);
  acknowledged_sent_ = acknowledged_;
  heartbeats_sent_ = heartbeats_;
  static_cast<void>(connection_->send(message));
}

// Not for the next heartbeat: the worker sends none before it has an answer, and the answer waits here too.
void WorkerLink::wait_for_room() {
  if (gathered_.orders().orders_size() > kOrdersBehindMost) connection_->close();
  if (before_.front().held != 0 || std::exchange(waits_for_room_, true)) return;
  asio::co_spawn(connection_->executor(), flush_when_written(shared_from_this()), net::AbortOnException{"worker link"});
}

asio::awaitable<void> WorkerLink::flush_when_written(std::shared_ptr<WorkerLink> self) {
  while (!self->before_.empty() && self->before_.front().held == 0) {
    const bool is_written = co_await self->connection_->flush();
    if (!is_written) break;
    self->flush();
  }
  self->waits_for_room_ = false;
}

}  // namespace ontime::master
