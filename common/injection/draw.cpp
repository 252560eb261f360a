#include <algorithm>
#include <cmath>

#include "common/base/random.h"
#include "common/injection/injection.h"

namespace ontime::injection {
namespace {

// A permutation of 2^(2*half) numbers: Feistel rounds.
std::uint64_t permuted(std::uint64_t value, unsigned half, std::uint64_t key) {
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  std::uint64_t left = value >> half;
  std::uint64_t right = value & mask;
  for (std::uint64_t round = 0; round < 6; ++round) {
    const std::uint64_t next = left ^ (hash({key, round, right}) & mask);
    left = right;
    right = next;
  }
  return left << half | right;
}

}  // namespace

std::uint64_t hash(std::initializer_list<std::uint64_t> words) {
  std::uint64_t state = kGoldenGamma;
  for (const std::uint64_t word : words) state = mixed(state + kGoldenGamma + mixed(word + kGoldenGamma));
  return state;
}

std::uint64_t hash(std::string_view text) {
  std::uint64_t state = mixed(text.size() + kGoldenGamma);
  for (const char byte : text) state = mixed(state + kGoldenGamma + static_cast<unsigned char>(byte));
  return state;
}

double uniform(std::uint64_t hash) { return static_cast<double>(hash >> 11) * 0x1p-53; }

double quantile(const Distribution& distribution, double u) {
  const double survival = std::min(1 - u, 1 - 0x1p-53);
  return std::round(std::clamp(distribution.at_survival(survival), 0.0, kFactorMax) * 1e6) / 1e6;
}

// Cycle-walking: permutes the numbers below a power of four, again and again until the result is below `count`. The
// power is at least 256, because a permutation of very few numbers would not make all orders equally likely.
std::uint64_t shuffled(std::uint64_t index, std::uint64_t count, std::uint64_t key) {
  unsigned half = 4;
  while ((std::uint64_t{1} << (2 * half)) < count) ++half;
  do {
    index = permuted(index, half, key);
  } while (index >= count);
  return index;
}

namespace {

// What a value is for. The numbers are part of what a seed means: append, never change.
enum class Purpose : std::uint64_t {
  Straggler = 1,
  Slowdown = 2,
  SlowNode = 3,
  Launch = 4,
  Pause = 5,
  PausePlace = 6,
  Stall = 7,
  StallPlace = 8,
  Crash = 9,
  CrashPlace = 10,
  Start = 11,
};

// The attempt's own chances, one per purpose.
class Chances {
 public:
  Chances(std::uint64_t seed, AttemptId id) : seed_(seed), id_(id) {}
  double operator()(Purpose purpose) const {
    return uniform(hash({seed_, static_cast<std::uint64_t>(purpose), id_.task.job.value, id_.task.index, id_.number}));
  }

 private:
  std::uint64_t seed_;
  AttemptId id_;
};

// Nothing if the split is too short to have that place.
std::optional<std::uint64_t> offset_of(const PlaceInSplit& where, ByteRange split) {
  const auto* bytes = std::get_if<std::uint64_t>(&where);
  const std::uint64_t behind =
      bytes != nullptr ? *bytes
                       : static_cast<std::uint64_t>(std::get<double>(where) * static_cast<double>(split.size()));
  return behind < split.size() ? std::optional(split.begin + behind) : std::nullopt;
}

std::optional<std::uint64_t> accident_at(const Accident& accident, const DrawnFor& drawn_for, double chance,
                                         double place) {
  if (drawn_for.attempt.number != 0) return std::nullopt;
  for (const PlaceOfTask& named : accident.places) {
    if (named.task == drawn_for.attempt.task.index) return offset_of(named.where, drawn_for.split);
  }
  if (chance < accident.probability) return offset_of(place, drawn_for.split);
  return std::nullopt;
}

double factor_of(const Injection& injection, const DrawnFor& drawn_for, const Chances& chances) {
  double factor = node_factor(injection, drawn_for.node);
  if (drawn_for.attempt.number == 0 && is_straggler(injection, drawn_for.attempt.task, drawn_for.job_tasks)) {
    factor *= injection.straggler.factor;
  }
  if (injection.slowdown) factor *= quantile(*injection.slowdown, chances(Purpose::Slowdown));
  return std::clamp(factor, kFactorMin, kFactorMax);
}

}  // namespace

// After a mismatch the latest star takes one byte more; earlier ones need not be tried again.
bool matches(std::string_view pattern, std::string_view node) {
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (n < node.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && pattern[p] == node[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool is_straggler(const Injection& injection, TaskId task, std::uint32_t job_tasks) {
  if (injection.straggler.share <= 0 || task.index >= job_tasks) return false;
  // 0.07 * 100 is a little more than 7 in binary.
  const double wanted = std::ceil(injection.straggler.share * job_tasks - 1e-6);
  const std::uint64_t key = hash({injection.seed, static_cast<std::uint64_t>(Purpose::Straggler), task.job.value});
  return static_cast<double>(shuffled(task.index, job_tasks, key)) < std::max(wanted, 1.0);
}

double node_factor(const Injection& injection, std::string_view node) {
  double factor = 1;
  for (const NodeRule& rule : injection.nodes) {
    if (matches(rule.pattern, node)) factor = rule.factor;
  }
  const std::uint64_t chance = hash({injection.seed, static_cast<std::uint64_t>(Purpose::SlowNode), hash(node)});
  if (uniform(chance) < injection.slow_nodes.share) factor *= injection.slow_nodes.factor;
  return factor;
}

Disturbance draw(const Injection& injection, const DrawnFor& drawn_for) {
  const Chances chances(injection.seed, drawn_for.attempt);
  Disturbance drawn;
  const double factor = factor_of(injection, drawn_for, chances);
  if (injection.pace > Duration(0)) {
    const auto bytes = static_cast<double>(std::max<std::uint64_t>(drawn_for.split.size(), 1));
    drawn.bytes_per_second = bytes / (seconds(injection.pace) * factor);
  } else {
    drawn.slowdown = factor;
  }
  if (injection.launch) {
    drawn.launch = std::min(from_seconds(quantile(*injection.launch, chances(Purpose::Launch))), kLaunchMax);
  }
  if (injection.start) {
    const double start = quantile(*injection.start, chances(Purpose::Start));
    drawn.start = from_seconds(std::min(start * factor, seconds(kLaunchMax)));
    drawn.start_of = injection.start_of;
  }
  drawn.reads_ahead = injection.reads_ahead;
  if (injection.pause > Duration(0) && chances(Purpose::Pause) < injection.pause_probability) {
    drawn.pause = injection.pause;
    drawn.pause_fraction = chances(Purpose::PausePlace);
  }
  drawn.stall_at = accident_at(injection.stall, drawn_for, chances(Purpose::Stall), chances(Purpose::StallPlace));
  drawn.crash_at = accident_at(injection.crash, drawn_for, chances(Purpose::Crash), chances(Purpose::CrashPlace));
  return drawn;
}

}  // namespace ontime::injection
