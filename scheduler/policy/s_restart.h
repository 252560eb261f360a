#pragma once
// Chronos' Speculative-Restart (section III, Theorems 3 and 4): a task that is expected at tau_est to miss D gets r
// extra attempts that begin its split anew, the original goes on; at tau_kill the one that will be done first goes on
// and the others are ended.
//
// Parameters: chronos_plan.h. When fewer slots are free than r, the straggler gets those. Declines jobs without a
// deadline, jobs for which r = 0 is best (not-worth-it) or any r worthless (hopeless), tasks with a compressed input
// (no-estimate), and, for the time being, tasks for which no slot is free.

#include "scheduler/policy/chronos.h"

namespace ontime::scheduler {

class SRestart final : public Chronos {
 public:
  explicit SRestart(Parameters& parameters) : Chronos(chronos_settings(pocd::Strategy::Restart, parameters)) {}

 protected:
  Verdict help(ChronosTurn& turn, const JobView& job, const ChronosChoice& choice, const Piece& piece) override;
};

}  // namespace ontime::scheduler
