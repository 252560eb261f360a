#pragma once
// One scenario of what is left of a job (forecast/remainder.h).

#include <cstdint>
#include <limits>
#include <vector>

#include "scheduler/forecast/draws.h"
#include "scheduler/forecast/remainder.h"

namespace ontime::scheduler {

const Quantiles& normal_scores();

class RemainderScenario {
 public:
  RemainderScenario(const Remainder& remainder, const Luck& luck, const Quantiles& ln_times)
      : remainder_(remainder), luck_(luck), ln_times_(ln_times) {}

  // When all is done.
  double live_through(std::uint32_t number);

 private:
  struct Slots {
    double at;
    double count;
    bool operator<(const Slots& other) const { return at > other.at; }  // the earliest is on top of the heap
  };
  struct Running {      // a segment, and when it will be done as things are
    double begins = 0;  // with what it has left, or will begin
    double started = 0;
    double ends = 0;
    double seems = 0;  // the end that its pace shows; what has none yet shows its own
    double frees = 0;  // when it leaves its slots, if nothing is done about it
    double ready = 0;  // from when on a policy can tell
    double count = 1;
    double slots = 1;  // that it holds
    double owed = 0;   // of those, what is given back when it is known when it ends
    double bytes = 0;  // from `begins` on
    double whole = 0;  // bytes of the segment
    std::uint64_t name = 0;
    int rescues = 0;
    bool stands = false;
    bool operator<(const Running& other) const { return ready > other.ready; }  // the first is on top of the heap
  };

  void finish_held();
  void serve(const std::vector<WorkOfOthers>& others, std::uint64_t name);
  std::size_t serve_bulk();
  void serve_waiting();
  double slots_in_all() const;
  double mean_time(double bytes) const;
  double flow(double count, double each);
  static Running fresh_work(const WaitingWork& work, std::uint64_t name, double begins, double ends, double count);
  void begin_again(const HeldWork& work, Running& running) const;
  void watch(Running work);
  void settle(const Running& work);
  void add_late(const Running& work);
  void rescue_before(double at);
  void rescue(const Running& work);
  void try_again(Running work, double at);
  Running taken_over(const Running& work, double at, double attempts) const;
  // What is late gets slots before what waits.
  bool overtakes() const { return remainder_.rescue.kind == Rescue::Kind::Divide; }
  bool is_worth_rescue(const Running& work) const;
  double next_slot() const { return slots_.empty() ? std::numeric_limits<double>::infinity() : slots_.front().at; }
  Slots take(double count);
  void give_back(double at, double count);

  double score(std::uint64_t name) const { return normal_scores()(luck_.draw(name, number_)); }
  double launch(std::uint64_t name) const;
  double ln_time(double quantile) const;
  double fresh(double bytes, double quantile) const;
  double racing(const Racing& racer, double quantile) const;

  const Remainder& remainder_;
  const Luck& luck_;
  const Quantiles& ln_times_;
  std::uint32_t number_ = 0;
  double hazard_ = 1;  // the tail's is divided by so much
  std::vector<Slots> slots_;  // a heap
  std::vector<Running> late_;  // a heap
  double last_ = 0;            // end of what is settled
  std::vector<Slots> taken_;   // by the segment that is being rescued
  double look_ = 0;            // from a policy's look to what comes of it
  double next_copy_ = 0;       // of a policy that pauses between them
};

}  // namespace ontime::scheduler
