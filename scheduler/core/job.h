#pragma once
// One application run over an input, with an output directory and, usually, a deadline.

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "scheduler/core/job_spec.h"
#include "scheduler/core/record.h"
#include "scheduler/core/task.h"
#include "scheduler/core/usual_time.h"
#include "scheduler/policies/decision.h"

namespace ontime::scheduler {

struct DecisionAt {
  TimePoint at;
  DecisionNote decision;
};

// Not durable.
struct Declined {
  Reason reason = Reason::OnSchedule;
  TimePoint since;
  TimePoint last;
};

// That a notice was told, or could not be.
struct Told {
  TimePoint at;
  std::string problem;  // empty: it was
};

inline constexpr std::size_t kDecisionsKept = 20'000;

struct Job {
  explicit Job(JobSpec what = {}) : shared_spec(std::make_shared<const JobSpec>(std::move(what))) {}

  std::shared_ptr<const JobSpec> shared_spec;  // immutable, so actions share it
  const JobSpec& spec = *shared_spec;
  std::string profile_key = scheduler::profile_key(spec);
  bool has_store = scheduler::has_store(spec);
  JobState state = JobState::Running;
  TimePoint submitted_at;
  TimePoint ended_at;          // epoch until final
  std::string message;         // why it failed or was killed
  bool end_wanted = false;     // somebody, or its deadline, has ended it: an advised job is to end in its engine too
  std::string policy_problem;  // why `none` stands in for its policy; empty: it does not
  TaskList tasks{spec};
  std::uint32_t tasks_done = 0;
  std::uint64_t input_bytes = 0;  // as stored where nobody knows how much a file holds
  std::uint64_t sealed_bytes = 0;
  std::uint64_t sealed_records = 0;
  std::uint64_t output_bytes = 0;          // of sealed segments, as stored
  std::uint64_t output_content_bytes = 0;  // before compression; 0: not compressed
  std::uint32_t attempts_launched = 0;
  std::uint32_t attempts_failed = 0;
  Counters counters;  // of sealed segments
  // Inputs that are left out since one of their attempts has found them to be corrupt, and why. Counters by input, for
  // when one is: only of a job that leaves such inputs out.
  std::map<std::uint32_t, std::string> left_out;
  std::map<std::uint32_t, Counters> counters_of;
  std::set<AttemptId> live;             // its live attempts
  std::set<NodeId> nodes;               // that ever ran one of its attempts
  std::vector<DecisionAt> decisions;    // of its policy, in order; the first kDecisionsKept
  std::uint32_t decisions_dropped = 0;  // later ones, since the master has started: they are not recorded
  std::map<std::uint32_t, Told> told;   // notices, by their number in the spec
  UsualTime between_offsets;            // from one report of new records to the next, of one attempt. Not durable
  UsualTime to_seal;                    // from an attempt's last offset to its last seal. Not durable
  Duration usual_gap{0};                // the usual time of both, as the last seal has it; 0: not known
  Duration usual_seal{0};
  Duration usual_launch{0};
  math::DurationSample starts;  // what its sealed segments took besides their bytes; nothing else is in it
  Duration longest_way{0};      // of a question for a cut and its answer together. Not durable
  double spent = 0;             // seconds of machine time that promises have cost. Not durable
  bool is_divided_more = true;  // false: too little came of earlier cuts. Not durable
  std::map<std::uint32_t, Declined> declined;  // by task: why nothing was done for it when the policy last looked

  bool missed_deadline(TimePoint now) const {
    return spec.deadline > Duration::zero() && (is_final(state) ? ended_at : now) > submitted_at + spec.deadline;
  }
};

}  // namespace ontime::scheduler
