#pragma once
// What an experiment does to attempts on purpose, as plain values: made from texts by settings.h, sent to workers by
// wire.h, turned here into what happens to one attempt. Nothing in this folder but load.cpp reads a file, and nothing
// asks a clock or a random device. How people write it is in docs/injection.md.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/byte_range.h"
#include "common/base/distribution.h"
#include "common/base/ids.h"
#include "common/base/time.h"

namespace ontime::injection {

inline constexpr Duration kPaceMax = std::chrono::hours(24);
inline constexpr Duration kLaunchMax = std::chrono::hours(1);
inline constexpr Duration kPauseMax = std::chrono::hours(24);
inline constexpr double kFactorMin = 1e-3;
inline constexpr double kFactorMax = 1e6;
inline constexpr std::size_t kTraceMax = 65'536;
inline constexpr std::size_t kRulesMax = 1'000;  // of nodes, of stalls, of crashes
inline constexpr std::size_t kPatternBytesMax = 256;
inline constexpr std::uint32_t kBurnersMax = 256;

// A share (0 to 1) of something takes `factor` times as long. Share 0: none does.
struct Share {
  double share = 0;
  double factor = 1;
  bool operator==(const Share&) const = default;
};

// Nodes whose name matches take `factor` times as long.
struct NodeRule {
  std::string pattern;
  double factor = 1;
  bool operator==(const NodeRule&) const = default;
};

// A place in a task's split: so many bytes behind its begin, or a fraction (0 to 1, 1 excluded) of its length.
using PlaceInSplit = std::variant<std::uint64_t, double>;
struct PlaceOfTask {
  std::uint32_t task = 0;  // index in its job; of every job
  PlaceInSplit where;
  bool operator==(const PlaceOfTask&) const = default;
};

// Befalls originals only: at the named places, and every other one with `probability` at a random place.
struct Accident {
  double probability = 0;
  std::vector<PlaceOfTask> places;
  bool operator==(const Accident&) const = default;
};

// What a start is paid for, the time that an application needs before it takes its first byte: each segment (a command
// that is started for it), each attempt, or each process, so that an attempt in a kept one pays nothing.
enum class StartOf : std::uint8_t { Segment, Attempt, Process };

inline constexpr std::uint64_t kAllAhead = std::numeric_limits<std::uint64_t>::max();

struct Injection {
  std::uint64_t seed = 0;
  Duration pace{0};  // how long an attempt over a whole split takes when nothing slows it down; 0: not held back
  Share straggler;   // of a job's originals: exactly that share rounded up, at least one
  std::optional<Distribution> slowdown;  // factor of each attempt; a listed one is a trace
  std::vector<NodeRule> nodes;           // of several that match, the last one counts
  Share slow_nodes;                      // of the nodes, each by a hash of its name
  std::optional<Distribution> launch;    // seconds of each attempt before its first record
  std::optional<Distribution> start;     // seconds before the first record of whatever `start_of` says
  StartOf start_of = StartOf::Segment;
  std::uint64_t reads_ahead = 0;  // bytes that an attempt held to a pace takes ahead of it; kAllAhead: all of a segment
  double pause_probability = 0;
  Duration pause{0};          // of each attempt, once, at a random place, with the probability above
  Accident stall;             // stops indefinitely and answers nothing
  Accident crash;             // the process aborts
  std::uint32_t burners = 0;  // threads of each worker that burn a core
  bool operator==(const Injection&) const = default;

  bool has_starts() const { return start || reads_ahead > 0; }
};

// What happens to one attempt; the runner obeys it.
struct Disturbance {
  Duration launch{0};           // before it is ready, or before its first record
  double bytes_per_second = 0;  // held to that rate, slow-downs included; 0: as fast as it goes
  double slowdown = 1;          // not held to a rate: mapping takes so many times as long; nothing happens below 1
  Duration pause{0};            // once; 0: none
  double pause_fraction = 0;    // of the range it begins with, [0, 1): where it pauses
  std::optional<std::uint64_t> stall_at;  // it stops indefinitely before the first record that starts there or behind
  std::optional<std::uint64_t> crash_at;  // its process aborts there; both are offsets in the input
  Duration start{0};  // it stands for so long before the first record of whatever `start_of` says, deaf to cuts
  StartOf start_of = StartOf::Segment;
  std::uint64_t reads_ahead = 0;  // as above
  bool operator==(const Disturbance&) const = default;

  bool is_none() const { return *this == Disturbance{}; }
};

struct DrawnFor {
  AttemptId attempt;
  std::uint32_t job_tasks = 0;  // how many the job has; 0: not known, no stragglers then
  ByteRange split;              // of the whole task, with a known end
  std::string_view node;        // name of the node it runs on
};

// What the injection does to one attempt. The same arguments give the same Disturbance on every machine and in whatever
// order attempts are drawn: each value hangs on the seed, what it is for, and
//
//   straggler             job, and which of the job's tasks
//   slow-down, launch, start, pause, stall, crash   job, task, attempt number
//   slow node             the node's name
//
// so an attempt's own luck goes with it to whatever node it is placed on, and two policies meet the same stragglers.
Disturbance draw(const Injection& injection, const DrawnFor& drawn_for);

// Whether the task's original is one of the ceil(share * tasks) stragglers of its job.
bool is_straggler(const Injection& injection, TaskId task, std::uint32_t job_tasks);

// Whether a node has a name like that: in the pattern `*` stands for any text, also none.
bool matches(std::string_view pattern, std::string_view node);

// By how much this node alone is slower.
double node_factor(const Injection& injection, std::string_view node);

// Reproducible chance: hashes of keys instead of a generator's stream, so that a value depends on its key alone and not
// on how many were drawn before.

// 64 well mixed bits of a sequence of words.
std::uint64_t hash(std::initializer_list<std::uint64_t> words);
std::uint64_t hash(std::string_view text);

// Uniform in [0, 1), with 53 bits.
double uniform(std::uint64_t hash);

// The value below which the share `u` of the draws lies, 0 <= u < 1. Within [0, kFactorMax], and rounded to a
// millionth.
double quantile(const Distribution& distribution, double u);

// The place of `index` in a random order of 0 ... count-1 that `key` stands for. REQUIRES: index < count.
std::uint64_t shuffled(std::uint64_t index, std::uint64_t count, std::uint64_t key);

}  // namespace ontime::injection
