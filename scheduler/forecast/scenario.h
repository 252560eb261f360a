#pragma once
// One scenario of what is left of a job (forecast/remainder.h), and its draws: luck that is not random, and quantiles
// to turn it into times.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/random.h"
#include "scheduler/forecast/remainder.h"

namespace ontime::scheduler {

// Numbers that stand for luck without being random: the same question always has the same answer. What is drawn for one
// thing falls into each of as many equal parts of (0, 1) exactly once, in an order of its own (stratified sampling), so
// that a hundred scenarios tell what thousands of independent draws would.
class Luck {
 public:
  // scenarios: a power of two, at least 2.
  explicit Luck(std::uint32_t scenarios)
      : scenarios_(scenarios), shift_((std::bit_width(scenarios) + 1) / 2), mask_(scenarios - 1) {}

  std::uint32_t scenarios() const { return scenarios_; }

  // Strictly between 0 and 1. `who`: any name of what is drawn for.
  double draw(std::uint64_t who, std::uint32_t scenario) const {
    const std::uint64_t name = mixed(who + kGoldenGamma);
    const auto first = static_cast<std::uint32_t>(name) | 1;
    const auto second = static_cast<std::uint32_t>(name >> 32);
    std::uint32_t part = (scenario * first + second) & mask_;
    part ^= part >> shift_;
    part = (part * (second | 1)) & mask_;
    part ^= part >> shift_;
    const std::uint64_t within = mixed(name + scenario + kGoldenGamma);
    return (part + (static_cast<double>(within >> 12) + 0.5) * 0x1p-52) / scenarios_;
  }

 private:
  std::uint32_t scenarios_;
  int shift_;
  std::uint32_t mask_;
};

// What is drawn for one thing: a name of its own for each, so that one more draw does not change the others.
enum Salt : std::uint64_t {
  kTailSalt = 1,
  kLaunchSalt = 3,
  kSlotSalt,
  kMostSalt,
  kOthersSalt,
  kRestSalt,
  kReplaceSalt = 32,
  kRescueSalt = 64
};
inline std::uint64_t salted(std::uint64_t name, std::uint64_t salt) { return name * kGoldenGamma + salt; }

// The greatest of so many draws: P(all of n are below x) = P(one is)^n, so its quantile q is one draw's at q^(1/n).
inline double greatest(double quantile, double count) { return count > 1 ? std::pow(quantile, 1 / count) : quantile; }

// Quantiles of a distribution, looked up instead of computed: a forecast asks for a hundred thousand of them.
class Quantiles {
 public:
  // exact(q) for 0 < q < 1, rising. It is asked again where a straight line between neighbours would not do: far out.
  explicit Quantiles(std::function<double(double)> exact) : exact_(std::move(exact)) {
    at_.reserve(kCells + 1);
    for (std::size_t i = 0; i <= kCells; ++i) {
      const double root = static_cast<double>(i) / kPerUnit;
      at_.push_back(exact_at(root));
    }
  }

  // The quantile at which P(greater) is e^-hazard, hazard > 0; an infinite one is far out.
  double at_hazard(double hazard) const {
    const double root = std::sqrt(hazard);  // both ends are stretched by it
    const double place = root * kPerUnit;
    if (!(place >= kEdge && place < kCells)) return exact_at(root);
    const auto cell = static_cast<std::size_t>(place);
    const double share = place - static_cast<double>(cell);
    return at_[cell] + share * (at_[cell + 1] - at_[cell]);
  }
  double operator()(double q) const { return at_hazard(-std::log1p(-q)); }

 private:
  static constexpr double kPerUnit = 256;
  static constexpr std::size_t kCells = 1024;
  static constexpr std::size_t kEdge = 16;
  static constexpr double kOutermost = 1e-12;

  double exact_at(double root) const {
    return exact_(std::clamp(-std::expm1(-root * root), kOutermost, 1 - kOutermost));
  }

  std::function<double(double)> exact_;
  std::vector<double> at_;
};

const Quantiles& normal_scores();

// The share of its time left that a fresh attempt is expected to save one that needs `pace` seconds for each byte, if
// the fresh one is replaced itself once it is as slow: looked up, as above.
class SavedByReplacing {
 public:
  explicit SavedByReplacing(const math::FittedTail& tail);
  double at(double pace) const;

 private:
  static constexpr double kPerFactorE = 16;
  static constexpr std::size_t kCells = 64;

  double median_;
  std::vector<double> shares_;  // by ln(pace / median)
};

class RemainderScenario {
 public:
  RemainderScenario(const Remainder& remainder, const Luck& luck, const Quantiles& ln_times,
                    const SavedByReplacing& saved)
      : remainder_(remainder), luck_(luck), ln_times_(ln_times), saved_(saved) {}

  // When all is done.
  double live_through(std::uint32_t number);

 private:
  static constexpr int kFlowParts = 32;  // in which slots become free behind the others
  static constexpr double kTooSlow = 2;  // times the usual: keeps nothing of what is divided, as split-resume has it

  struct Slots {
    double at;
    double count;
    double slowness;
    double until = std::numeric_limits<double>::infinity();  // their workers leave
    bool warm = false;                                       // the job's processes are there
    // The earliest is on top of the heap, and of those the fastest.
    bool operator<(const Slots& other) const { return at != other.at ? at > other.at : slowness > other.slowness; }
  };
  struct Running {      // a segment, and when it will be done as things are
    double begins = 0;  // with what it has left, or will begin
    double started = 0;
    double ends = 0;
    double seems = 0;  // the end that its pace shows; what has none yet shows its own
    double frees = 0;  // when it leaves its slots, if nothing is done about it
    double ready = 0;  // from when on a policy can tell
    double count = 1;
    double slots = 1;     // that it holds
    double owed = 0;      // of those, what is given back when it is known when it ends
    double slowness = 0;  // of their nodes
    double until = std::numeric_limits<double>::infinity();  // the slots are there
    double bytes = 0;                                        // from `begins` on
    double whole = 0;                                        // bytes of the segment
    std::uint64_t name = 0;
    int rescues = 0;
    bool stands = false;
    bool taken = false;  // all of it: it can be raced, and not be divided
    // The processes of those that lose a race are ended.
    bool leaves_process() const { return slots <= count; }
    bool operator<(const Running& other) const { return ready > other.ready; }  // the first is on top of the heap
  };

  void finish_held();
  void serve(const std::vector<WorkOfOthers>& others, std::uint64_t name);
  std::size_t serve_bulk();
  void serve_waiting();
  void serve_waiting(const WaitingWork& work);
  bool is_cut(const Running& work);
  double slots_in_all() const;
  double mean_time(double bytes) const;
  double level_of(double work) const;
  double flow(double count, double each, bool warm);
  Running fresh_work(const WaitingWork& work, std::uint64_t name, double begins, double ends, double count) const;
  void begin_again(const HeldWork& work, Running& running) const;
  void watch(Running work);
  void replace(Running& work) const;
  void settle(const Running& work);
  void add_late(const Running& work);
  void rescue_before(double at);
  void rescue(const Running& work);
  void try_again(Running work, double at);
  Running taken_over(const Running& work, double at, double attempts, bool warm) const;
  // What is late gets slots before what waits.
  bool overtakes() const { return remainder_.rescue.kind == Rescue::Kind::Divide; }
  bool is_worth_rescue(const Running& work) const;
  void share_rest();
  void share_at(double at, double& free);
  std::optional<Running> shared(const Running& work, double at, double slots, double window) const;
  double usual(double bytes) const { return bytes * std::exp(ln_usual_); }
  double next_slot() const { return slots_.empty() ? std::numeric_limits<double>::infinity() : slots_.front().at; }
  Slots take(double count);
  // `warm`: the job's processes are there.
  void give_back(double at, double count, double slowness, double until, bool warm);

  double score(std::uint64_t name) const { return normal_scores()(luck_.draw(name, number_)); }
  double launch(std::uint64_t name, bool warm) const;
  double ln_time(double quantile) const;
  double ln_time_within(double bytes, double quantile, double slowness) const;
  double fresh(double bytes, double quantile, double slowness = 0) const;
  double racing(const Racing& racer, double quantile) const;

  const Remainder& remainder_;
  const Luck& luck_;
  const Quantiles& ln_times_;
  const SavedByReplacing& saved_;
  std::uint32_t number_ = 0;
  double hazard_ = 1;               // the tail's is divided by so much
  std::vector<Slots> slots_;        // a heap
  std::vector<WaitingWork> rests_;  // of what was cut as workers left
  std::vector<Running> late_;       // a heap
  std::vector<Running> ending_;     // what is settled but for what free slots may share
  double last_ = 0;                 // end of what is settled
  std::vector<Slots> taken_;        // by the segment that is being rescued
  double look_ = 0;                 // from a policy's look to what comes of it
  double next_copy_ = 0;            // of a policy that pauses between them
  double ln_usual_ = 0;             // seconds per byte, of half of the attempts
};

}  // namespace ontime::scheduler
