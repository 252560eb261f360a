#pragma once
// Chronos' Speculative-Resume (section III, Theorems 5 and 6): a task that is expected at tau_est to miss D is cut
// where its original will be when fresh attempts are ready (b_new of section VI-B, eq. 31 corrected); the original
// seals what is before the cut and ends, r + 1 fresh attempts race for the rest. At tau_kill the one that will be done
// first goes on and the others are ended.
//
// Parameters: chronos_plan.h, and handover: `predicted` (default, the paper's) or `ready`. When fewer slots are free
// than r + 1, the rest gets those. Declines jobs without a deadline, jobs for which any r is worthless (hopeless),
// tasks with a compressed input (no-estimate), stragglers that are done before a fresh attempt is launched
// (remaining-shorter-than-launch), and, for the time being, tasks for which no slot is free.

#include "scheduler/policy/chronos.h"

namespace ontime::scheduler {

class SResume final : public Chronos {
 public:
  explicit SResume(Parameters& parameters) : Chronos(chronos_settings(pocd::Strategy::Resume, parameters)) {}

 protected:
  Verdict help(ChronosTurn& turn, const JobView& job, const ChronosChoice& choice, const Piece& piece) override;
};

}  // namespace ontime::scheduler
