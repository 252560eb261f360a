#pragma once
// The best that any policy can do with one job, found by trying everything: in whole seconds, with few slots, records
// and durations.

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace ontime::lab::test {

struct SmallJob {
  std::uint32_t slots = 1;
  std::uint32_t records = 1;
  std::uint32_t per_attempt = 1;             // records that one attempt can map
  std::uint32_t launch = 0;                  // seconds; nothing of an attempt is known before
  std::vector<std::uint32_t> per_record{1};  // seconds: each is as likely, drawn once per attempt
  std::uint32_t deadline = 1;
};

// What a slot does. An attempt's time per record is known as soon as it is launched.
struct SlotState {
  std::uint32_t launching = 0;   // seconds left
  std::uint32_t per_record = 0;  // 0: no attempt maps
  std::uint32_t left = 0;        // seconds, of its record
  std::uint32_t records = 0;     // that it can map yet, with this one
  auto operator<=>(const SlotState&) const = default;
};

// By dynamic programming over all states. Each second a policy may end any attempt, which loses its unfinished record,
// and launches where it can: that costs it nothing. Any attempt may map any record.
class OptimalPolicy {
 public:
  explicit OptimalPolicy(const SmallJob& job) : job_(job) {}

  // Probability that the job is done by its deadline.
  double pocd() { return best(job_.deadline, job_.records, std::vector<SlotState>(job_.slots)); }

 private:
  using State = std::vector<SlotState>;

  bool is_free(const SlotState& slot) const { return slot.per_record == 0 && slot.launching == 0; }

  double best(std::uint32_t time, std::uint32_t records, State state) {
    if (records == 0) return 1;
    if (time == 0) return 0;
    std::sort(state.begin(), state.end());
    const auto key = std::make_tuple(time, records, state);
    if (const auto known = values_.find(key); known != values_.end()) return known->second;
    double most = 0;
    for (std::uint32_t ended = 0; ended < 1u << state.size(); ++ended) {  // all sets of slots
      State chosen = state;
      for (std::size_t slot = 0; slot < chosen.size(); ++slot) {
        if ((ended >> slot & 1) != 0) chosen[slot] = {};
      }
      most = std::max(most, launched(time, records, chosen, 0));
    }
    return values_[key] = most;
  }

  // From slot `at` on, those that are free get attempts; without a launch time each shows at once how fast it is.
  double launched(std::uint32_t time, std::uint32_t records, State state, std::size_t at) {
    for (; at < state.size(); ++at) {
      if (!is_free(state[at])) continue;
      if (job_.launch == 0) return drawn(state, at, [&](const State& s) { return launched(time, records, s, at + 1); });
      state[at].launching = job_.launch;
    }
    return passed(time, records, state);
  }

  template <class Value>
  double drawn(State state, std::size_t at, Value value) {
    double sum = 0;
    for (const std::uint32_t per_record : job_.per_record) {
      state[at] = {0, per_record, per_record, job_.per_attempt};
      sum += value(state);
    }
    return sum / static_cast<double>(job_.per_record.size());
  }

  double passed(std::uint32_t time, std::uint32_t records, State state) {
    std::vector<std::size_t> ready;
    for (std::size_t at = 0; at < state.size(); ++at) {
      SlotState& slot = state[at];
      if (slot.launching > 0) {
        if (--slot.launching == 0) ready.push_back(at);
      } else if (--slot.left == 0) {
        records -= records > 0 ? 1 : 0;
        slot = slot.records > 1 ? SlotState{0, slot.per_record, slot.per_record, slot.records - 1} : SlotState{};
      }
    }
    return shown(time - 1, records, state, ready);
  }

  double shown(std::uint32_t time, std::uint32_t records, const State& state, std::vector<std::size_t> ready) {
    if (records == 0) return 1;
    if (ready.empty()) return best(time, records, state);
    const std::size_t at = ready.back();
    ready.pop_back();
    return drawn(state, at, [&](const State& s) { return shown(time, records, s, ready); });
  }

  const SmallJob job_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, State>, double> values_;
};

}  // namespace ontime::lab::test
