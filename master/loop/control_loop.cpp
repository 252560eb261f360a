#include "master/loop/control_loop.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <asio/post.hpp>
#include <iterator>
#include <memory>
#include <utility>

#include "common/base/kill_point.h"
#include "common/log/fields.h"

namespace ontime::master {
namespace {

// A scheduler that asks to be woken in the past must not keep the thread from its other work.
constexpr Duration kWakeUpDelayMin = std::chrono::milliseconds(1);

}  // namespace

ControlLoop::ControlLoop(Parts parts, Clock clock, JournalWriter::OnFailure on_failure)
    : executor_(parts.executor),
      scheduler_(parts.scheduler),
      clock_(clock),
      performer_(parts.performer),
      recorder_(parts.recorder),
      observe_(std::move(parts.observe)),
      timer_(parts.executor),
      writer_(parts.journal, parts.executor, std::move(on_failure), [this](const std::string& why) { on_full(why); }) {}

void ControlLoop::start() {
  const TimePoint now = clock_.now();
  gather(nullptr, now, scheduler_.start(now));
}

void ControlLoop::step(const scheduler::Event& event) {
  const TimePoint now = clock_.now();
  gather(&event, now, scheduler_.step(event, now));
}

void ControlLoop::gather(const scheduler::Event* event, TimePoint now, scheduler::Step step) {
  if (recorder_ != nullptr) recorder_->add_step(event, now, step);
  changes_ += step.records.size();
  std::move(step.records.begin(), step.records.end(), std::back_inserter(open_.records));
  std::move(step.actions.begin(), step.actions.end(), std::back_inserter(open_.effects));
  schedule_turn_end();
}

void ControlLoop::defer(std::function<void()> effect) {
  open_.effects.emplace_back(std::move(effect));
  schedule_turn_end();
}

asio::awaitable<void> ControlLoop::durable() {
  if (is_settled()) co_return;
  const auto signal = std::make_shared<Signal>(executor_);
  defer([signal] { signal->fire(); });
  co_await signal->wait();
}

asio::awaitable<bool> ControlLoop::durable_unless_full() {
  if (is_settled()) co_return true;
  if (!journal_full_.empty()) co_return false;
  const auto signal = std::make_shared<Signal>(executor_);
  const auto is_durable = std::make_shared<bool>(false);
  defer([signal, is_durable] {
    *is_durable = true;
    signal->fire();
  });
  open_.when_full.push_back(signal);
  co_await signal->wait();
  co_return *is_durable;
}

// Everything that happens in one turn of the executor goes into one batch.
void ControlLoop::schedule_turn_end() {
  if (turn_end_scheduled_) return;
  turn_end_scheduled_ = true;
  asio::post(executor_, [this] { end_turn(); });
}

void ControlLoop::end_turn() {
  turn_end_scheduled_ = false;
  arm_timer();
  hand_over();
}

void ControlLoop::hand_over() {
  if (is_writing_ || open_.empty()) return;
  writing_ = std::exchange(open_, {});
  if (writing_.records.empty()) return perform(std::exchange(writing_, {}));
  is_writing_ = true;
  writer_.write(writing_.records, [this, handed_over = clock_.now()] {
    is_writing_ = false;
    measures_.journal.add(clock_.now() - handed_over);
    measures_.records += writing_.records.size();
    perform(std::exchange(writing_, {}));
    hand_over();
  });
}

void ControlLoop::on_full(const std::string& why) {
  journal_full_ = why;
  if (why.empty()) {
    spdlog::warn("journal_has_room");
  } else {
    spdlog::error("journal_full message={}", log::Quoted{why});
    for (Batch* const batch : {&writing_, &open_}) {
      for (const auto& signal : std::exchange(batch->when_full, {})) signal->fire();
    }
  }
}

void ControlLoop::perform(const Batch& batch) {
  pass_kill_point("batch-before-actions");
  for (const scheduler::JournalRecord& record : batch.records) {
    if (observe_) observe_(record);
    performer_.observe(record);
  }
  for (const Effect& effect : batch.effects) {
    if (const auto* action = std::get_if<scheduler::Action>(&effect)) {
      performer_.perform(*action);
      pass_kill_point("action-performed");
    } else {
      std::get<std::function<void()>>(effect)();
    }
  }
  performer_.flush();
  pass_kill_point("actions-flushed");
}

void ControlLoop::arm_timer() {
  const std::optional<TimePoint> next = scheduler_.next_wake_up();
  if (next == armed_for_) return;
  armed_for_ = next;
  if (!next) {
    timer_.cancel();
    return;
  }
  timer_.expires_after(std::max(*next - clock_.now(), kWakeUpDelayMin));
  timer_.async_wait([this](const asio::error_code& error) {
    if (error) return;
    armed_for_.reset();
    step(scheduler::event::TimePassed{});
  });
}

}  // namespace ontime::master
