#pragma once
// What the injection does to one attempt. The same arguments give the same Disturbance on every machine and in whatever
// order attempts are drawn: each value hangs on the seed, what it is for, and
//
//   straggler             job, and which of the job's tasks
//   slow-down, launch, pause, stall, crash          job, task, attempt number
//   slow node             the node's name
//
// so an attempt's own luck goes with it to whatever node it is placed on, and two policies meet the same stragglers.

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "common/base/byte_range.h"
#include "common/base/ids.h"
#include "common/injection/injection.h"

namespace ontime::injection {

// Reproducible chance: hashes of keys instead of a generator's stream, so that a value depends on its key alone and not
// on how many were drawn before; and distributions by their inverse, because those of the standard library differ from
// one implementation to the next.

// 64 well mixed bits of a sequence of words.
std::uint64_t hash(std::initializer_list<std::uint64_t> words);
std::uint64_t hash(std::string_view text);

// Uniform in [0, 1), with 53 bits.
double uniform(std::uint64_t hash);

// The value below which the share `u` of the draws lies, 0 <= u < 1. Within [smallest, largest], and rounded to a
// millionth: what machines disagree about in a logarithm's last bit does not show.
double quantile(const Distribution& distribution, double u);

// The standard normal's; 0 < u < 1.
double normal_quantile(double u);

// The place of `index` in a random order of 0 ... count-1 that `key` stands for. REQUIRES: index < count.
std::uint64_t shuffled(std::uint64_t index, std::uint64_t count, std::uint64_t key);

struct DrawnFor {
  AttemptId attempt;
  std::uint32_t job_tasks = 0;  // how many the job has; 0: not known, no stragglers then
  ByteRange split;              // of the whole task, with a known end
  std::string_view node;        // name of the node it runs on
};

Disturbance draw(const Injection& injection, const DrawnFor& drawn_for);

// Whether the task's original is one of the ceil(share * tasks) stragglers of its job.
bool is_straggler(const Injection& injection, TaskId task, std::uint32_t job_tasks);

// By how much this node alone is slower.
double node_factor(const Injection& injection, std::string_view node);

}  // namespace ontime::injection
