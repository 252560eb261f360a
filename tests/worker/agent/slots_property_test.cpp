// Whatever orders, runner messages and deaths come in whatever sequence: every attempt that was accepted ends exactly
// once (finished, killed by order, or reported), reports stay in order, runners within their bound.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "common/protocol/convert.h"
#include "tests/worker/agent/slots_fixture.h"

namespace ontime::worker {
namespace {

using test::FakeRunner;
using test::SlotsWorld;

constexpr std::uint32_t kSlots = 2;

class RandomHistory {
 public:
  RandomHistory() {
    RC_ASSERT(world_.set_up(1).has_value());
    RC_ASSERT(world_.set_up(2).has_value());
  }

  void step() {
    switch (*rc::gen::inRange(0, 10)) {
      case 0:
      case 1:
        return launch();
      case 2:
        return with_attempt([this](AttemptId id) {
          RC_ASSERT(world_.kill(id).has_value());
          live_.erase(id);
          standbys_.erase(id);
        });
      case 3:
        return with_attempt([this](AttemptId id) { std::ignore = world_.cut(id, 500); });
      case 4:
        return with_runner([this](FakeRunner& runner) {
          if (waits(runner)) return;
          runner.seals(runner.run().launch().range().begin(), runner.run().launch().range().end());
          runner.finishes();
          live_.erase(protocol::attempt_id(runner.run().launch().attempt()));
          standbys_.erase(protocol::attempt_id(runner.run().launch().attempt()));
          world_.settle();
        });
      case 5:
        return with_runner([this](FakeRunner& runner) {
          world_.end(runner, SIGSEGV);
          runners_.erase(runner.number());
        });
      case 6:
        return with_runner([this](FakeRunner& runner) {
          if (runner.block().cut_sequence.load() <= std::max(answered_[runner.number()], runner.run().cut_sequence())) {
            return;
          }
          answered_[runner.number()] = runner.block().cut_sequence.load();
          runner.answers_cut(1000);
        });
      case 7:
        return die();
      case 8:
        return with_runner([this](FakeRunner& runner) {
          const auto standby = standbys_.find(protocol::attempt_id(runner.run().launch().attempt()));
          if (standby == standbys_.end() || std::exchange(standby->second.is_ready, true)) return;
          runner.is_ready();
          world_.settle();
        });
      case 9:
        return with_attempt([this](AttemptId id) {
          const auto standby = standbys_.find(id);
          const std::uint64_t begin = *rc::gen::inRange(0u, 1000u);
          RC_ASSERT(world_.begin(id, begin, 1000).has_value() ==
                    (standby != standbys_.end() && (!standby->second.begin || standby->second.begin == begin)));
          if (standby != standbys_.end() && !standby->second.begin) standby->second.begin = begin;
          world_.settle();
        });
    }
  }

  void check() {
    world_.settle();
    take_reports();
    RC_ASSERT(world_.slots.attempt_count() == live_.size());
    for (const auto& progress : world_.progress()) RC_ASSERT(live_.contains(protocol::attempt_id(progress.attempt())));
    for (const auto& [number, runner] : runners_) {
      if (!runner->run().launch().has_attempt() || !waits(*runner)) continue;
      const auto standby = standbys_.find(protocol::attempt_id(runner->run().launch().attempt()));
      const bool is_begun = runner->takes_begin();
      RC_ASSERT(is_begun == (standby->second.is_ready && standby->second.begin));
      if (!is_begun) continue;
      RC_ASSERT(runner->run().launch().range().begin() == *standby->second.begin);
      standby->second.is_begun = true;
    }
    RC_ASSERT(world_.slots.runner_count() <= (Slots::kDyingFactor + 2) * kSlots + Slots::kDyingExtra);
  }

 private:
  struct Standby {
    bool is_ready = false;
    std::optional<std::uint64_t> begin;  // as ordered
    bool is_begun = false;               // its runner has been told
  };

  // Whether it is a standby that may not map yet.
  bool waits(const FakeRunner& runner) const {
    const auto standby = standbys_.find(protocol::attempt_id(runner.run().launch().attempt()));
    return standby != standbys_.end() && !standby->second.is_begun;
  }

  void launch() {
    if (live_.size() >= kSlots) return;
    const AttemptId id = world_.attempt(next_task_++, *rc::gen::inRange(1u, 3u));
    const bool standby = *rc::gen::inRange(0, 3) == 0;
    RC_ASSERT(world_.launch(id, 0, 1000, standby).has_value());
    live_.insert(id);
    if (standby) standbys_[id] = {};
    world_.settle();
    while (auto runner = world_.launcher.next_spawn()) {
      world_.launcher.reports_spawned(*runner);
      RC_ASSERT(runner->next()->has_setup());
      const std::uint64_t number = runner->number();
      runners_[number] = std::move(runner);
    }
    for (const auto& [number, runner] : runners_) runner->takes_run();
    world_.settle();
  }

  // Every runner's process is gone with the launcher.
  void die() {
    if (*rc::gen::inRange(0, 4) != 0) return;
    world_.launcher.dies();
    world_.settle();
    runners_.clear();
  }

  template <class F>
  void with_attempt(F act) {
    if (!live_.empty()) act(*std::next(live_.begin(), *rc::gen::inRange<std::ptrdiff_t>(0, std::ssize(live_))));
  }

  template <class F>
  void with_runner(F act) {
    if (live_.empty()) return;
    const AttemptId id = *std::next(live_.begin(), *rc::gen::inRange<std::ptrdiff_t>(0, std::ssize(live_)));
    for (const auto& [number, runner] : runners_) {
      if (runner->run().launch().has_attempt() && protocol::attempt_id(runner->run().launch().attempt()) == id)
        return act(*runner);
    }
  }

  void take_reports() {
    for (const wire::Report& report : world_.new_reports()) {
      RC_ASSERT(report.sequence() == ++last_report_);
      const AttemptId id = protocol::attempt_id(report.attempt());
      if (!report.has_ended()) continue;
      RC_ASSERT(live_.erase(id) == 1u);
      standbys_.erase(id);
    }
  }

  SlotsWorld world_{kSlots};
  std::map<std::uint64_t, std::unique_ptr<FakeRunner>> runners_;
  std::map<std::uint64_t, std::uint64_t> answered_;
  std::set<AttemptId> live_;
  std::map<AttemptId, Standby> standbys_;
  std::uint32_t next_task_ = 0;
  std::uint64_t last_report_ = 0;
};

RC_GTEST_PROP(SlotsProperty, EveryAttemptEndsExactlyOnce, ()) {
  RandomHistory history;
  const int steps = *rc::gen::inRange(0, 40);
  for (int i = 0; i < steps; ++i) {
    history.step();
    history.check();
  }
}

}  // namespace
}  // namespace ontime::worker
