#pragma once
// Do attempts hold their speed, or is it drawn anew while they run? Told from what a job's attempts have shown.

#include <limits>
#include <optional>

#include "scheduler/core/job.h"

namespace ontime::scheduler {

// What is expected before anything was seen: standard deviation of ln(time to go / expected), counting as one attempt.
inline constexpr double kSpreadUsual = 0.12;

// How well the speeds of a job's attempts hold.
struct Steadiness {
  double spread = kSpreadUsual;  // of ln(speed from now on / expected) where they do
  double keep = 1;               // how much of what sets an attempt apart stays with it: 1 all, 0 nothing
  double variance = 0;           // of ln of a speed that is drawn anew
  double holds = std::numeric_limits<double>::infinity();  // seconds until it is, in the mean
  // Seconds by which attempts end later than their pace has shown: what they have mapped must be sealed and reported.
  double lag = 0;
};

// Of the job's attempts, those that have ended too.
Steadiness steadiness_of(const Job& job);

// ln(speed of late / mean speed); nothing of an attempt that has not been watched for long enough.
std::optional<double> change_of_speed(const Attempt& attempt);

}  // namespace ontime::scheduler
