#pragma once
// The only caller of the scheduler. Feeds it events and time, stores the records of its steps, and performs their
// actions once those are durable, strictly in order:
//
//   step ... step  -> open batch --journal thread--> durable -> actions and deferred effects, in order
//
// While one batch is being written the next one gathers (group commit). All of it on the control thread.

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "master/actions/action_performer.h"
#include "master/base/clock.h"
#include "master/base/measures.h"
#include "master/base/signal.h"
#include "master/loop/journal_writer.h"
#include "master/recording/recorder.h"
#include "scheduler/core/scheduler.h"

namespace ontime::master {

class ControlLoop {
 public:
  // A record became durable; called before the actions of its step.
  using Observe = std::function<void(const scheduler::JournalRecord&)>;

  // All of them outlive it; the journal is read already.
  struct Parts {
    asio::any_io_executor executor;
    scheduler::Scheduler& scheduler;
    ActionPerformer& performer;
    journal::Journal& journal;
    recording::Recorder* recorder = nullptr;  // has begun when start() is called; null: nothing is recorded
    Observe observe = nullptr;                // may be null
  };
  ControlLoop(Parts parts, Clock clock, JournalWriter::OnFailure on_failure);

  // First of all, once, after the journal was replayed into the scheduler.
  void start();
  void step(const scheduler::Event& event);

  // Runs `effect` when everything stepped so far is durable, after the actions of those steps.
  void defer(std::function<void()> effect);
  // Returns then.
  asio::awaitable<void> durable();
  // Returns then, too, or false as soon as nothing becomes durable for now.
  asio::awaitable<bool> durable_unless_full();
  // Everything stepped so far is durable and performed.
  bool is_settled() const { return open_.empty() && !is_writing_; }
  // Records made so far: a reader that has seen so many has seen every durable change.
  std::uint64_t changes() const { return changes_; }
  // So much waits for the journal that sources of events should await durable() first.
  bool is_congested() const { return open_.records.size() > kOpenRecordsMax; }

  // Why nothing becomes durable for now; empty if all is well.
  const std::string& journal_full() const { return journal_full_; }

  const Measures& measures() const { return measures_; }
  void measure_heartbeat(Duration lag) { measures_.heartbeat_lag.add(lag); }

  const scheduler::Cluster& cluster() const { return scheduler_.cluster(); }
  const scheduler::Scheduler& scheduler() const { return scheduler_; }
  TimePoint now() const { return clock_.now(); }
  const asio::any_io_executor& executor() const { return executor_; }

 private:
  static constexpr std::size_t kOpenRecordsMax = 50'000;
  using Effect = std::variant<scheduler::Action, std::function<void()>>;

  struct Batch {
    std::vector<scheduler::JournalRecord> records;
    std::vector<Effect> effects;
    std::vector<std::shared_ptr<Signal>> when_full{};  // end waits for `effects` that cannot be performed for now
    bool empty() const { return records.empty() && effects.empty(); }
  };

  // `event` may be null: the start.
  void gather(const scheduler::Event* event, TimePoint now, scheduler::Step step);
  void schedule_turn_end();
  void end_turn();
  void hand_over();
  void perform(const Batch& batch);
  void arm_timer();
  void on_full(const std::string& why);

  const asio::any_io_executor executor_;
  scheduler::Scheduler& scheduler_;
  const Clock clock_;
  ActionPerformer& performer_;
  recording::Recorder* const recorder_;
  const Observe observe_;

  std::uint64_t changes_ = 0;
  Batch open_;     // gathers
  Batch writing_;  // with the journal thread while is_writing_
  bool is_writing_ = false;
  bool turn_end_scheduled_ = false;
  asio::steady_timer timer_;  // for the scheduler's next wake-up
  std::optional<TimePoint> armed_for_;
  std::string journal_full_;
  Measures measures_;
  JournalWriter writer_;  // last: its end waits for the write that reads writing_
};

}  // namespace ontime::master
