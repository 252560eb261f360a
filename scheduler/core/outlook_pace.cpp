// What segments cost besides their bytes, and the pace of attempts by the clock of their runners.
#include <algorithm>
#include <cmath>

#include "common/base/median.h"
#include "scheduler/core/outlook.h"
#include "scheduler/math/numeric.h"

namespace ontime::scheduler {
namespace {

// A pace from few readings is off by this over the root of their number.
constexpr double kReadingError = 0.5;
constexpr double kErrorLeast = 0.1;
constexpr double kHiccup = 1;  // seconds: an attempt that is slow for less may have waited for a busy machine

}  // namespace

std::optional<double> Outlook::slow_first() const {
  const auto own = sample_.slow_first();
  const std::optional<double> slow = own ? own : slow_first_before_;
  return slow ? std::optional(std::max(*slow, kHiccup)) : std::nullopt;
}

double Outlook::usual_fixed(const Attempt& attempt) const {
  const auto own = sample_.usual_fixed(attempt.beginning());
  return own ? *own : usual_fixed_before_.value_or(math::kInfinity);
}

// The median of the starts that live attempts show, once most of them are over: what is late to begin does not count
// for more than it is.
std::optional<double> Outlook::usual_live_start() const {
  std::vector<double> starts;
  for (const auto& [task, start] : starts_) {
    starts.push_back(start);
    if (starts.size() == kRunningLookedAt) break;
  }
  if (starts.size() < kUsualFrom) return std::nullopt;
  const double median = median_of(std::move(starts));
  return std::isfinite(median) ? std::optional(median) : std::nullopt;
}

double Outlook::fixed(const Cluster& cluster, const Job& job, math::Beginning how) const {
  const auto own = sample_.usual_fixed(how);
  if (own && sample_.fixed_seen() >= kUsualFrom) return *own;
  const auto live = usual_live_start();
  if (own) return live ? std::min(*own, *live) : *own;
  const double seen = live ? *live : longest_start_;
  const math::DurationSample* profile = cluster.find_profile(job);
  const auto before = profile != nullptr ? profile->usual_fixed(how) : std::nullopt;
  return before ? std::max(*before, seen) : seen;
}

bool Outlook::takes_at_once(const Cluster& cluster, const Job& job) const {
  if (sample_.usual_fixed(math::Beginning::Cold)) return sample_.takes_at_once();
  const math::DurationSample* profile = cluster.find_profile(job);
  return profile != nullptr && profile->takes_at_once();
}

double Outlook::usual_per_byte(const Cluster& cluster, const Job& job) const {
  if (takes_at_once(cluster, job)) return 0;
  if (sample_.finished().size() >= kUsualFrom) return sample_.usual_finished();
  if (const math::DurationSample* profile = cluster.find_profile(job); profile && !profile->finished().empty())
    return profile->usual_finished();
  std::vector<double> known = early_durations();
  known.insert(known.end(), sample_.finished().begin(), sample_.finished().end());
  return known.empty() ? 0 : median_of(std::move(known));
}

const math::DurationSample* Outlook::known_durations(const Cluster& cluster, const Job& job) const {
  const math::DurationSample* known = cluster.find_profile(job);
  if (known == nullptr || known->finished().size() < sample_.finished().size()) known = &sample_;
  return known->finished().size() < kUsualFrom ? nullptr : known;
}

bool Outlook::is_late_without_pace(const Attempt& attempt) const {
  if (attempt.state != AttemptState::Running || !attempt.segment.is_known()) return false;
  const bool shows_none = attempt.segment.moves == 0 || attempt.offset >= attempt.held.end;
  const auto slow = slow_first();
  return shows_none && slow && seconds(attempt.segment.age) > *slow;
}

double Outlook::end_without_pace(const Attempt& attempt, std::uint64_t end, double fixed, double per_byte) const {
  const bool has_taken = attempt.segment.moves > 0;
  const auto bytes = has_taken ? 0 : static_cast<double>(end - std::min(end, attempt.held.begin));
  const double age = seconds(attempt.segment.age);
  // Until its first bytes are taken it may well be at work on them: a record is taken when it has been mapped.
  const double first = has_taken ? fixed : std::max(fixed, sample_.usual_first().value_or(fixed));
  const double begun = std::min(first - fixed, bytes * per_byte);
  // One that is late to begin is as slow at its bytes, as far as anybody knows: the first may be a long record.
  const double slow = slow_first().value_or(0);
  const double slowness = slow > 0 ? std::max(1.0, age / slow) : 1;
  return since_submission(attempt.reported_at) + math::rest_of_start(age, first) +
         (bytes * per_byte - begun) * slowness;
}

// What it has mapped says how it will go on: a tenth of its bytes, or as long as others took for a tenth.
bool Outlook::tells(const math::Mapped& mapped, const Attempt& attempt) const {
  if (!(mapped.rate() > 0)) return false;
  if (attempt.launch_end == kUnknownEnd || mapped.seconds >= kHiccup) return true;
  const double tenth = kTellingShare * static_cast<double>(attempt.launch_end - attempt.start_offset);
  const bool knows_usual = sample_.finished().size() >= kUsualFrom && !sample_.takes_at_once();
  return mapped.bytes >= tenth || (knows_usual && mapped.seconds >= tenth * sample_.usual_finished());
}

// All that it has mapped counts, in the segments before as well, but no start.
math::Mapped Outlook::mapped_by(AttemptId id, const Attempt& attempt) const {
  const double taken = static_cast<double>(attempt.offset) - static_cast<double>(attempt.held.begin);
  math::Mapped all = math::mapped_so_far(attempt.segment, std::max(0.0, taken), usual_fixed(attempt));
  if (const auto sealed = sealed_.find(id); sealed != sealed_.end()) all += sealed->second;
  return all;
}

Pace Outlook::pace_by_runner(AttemptId id, const Attempt& attempt) const {
  Pace pace;
  pace.offset = static_cast<double>(attempt.offset);
  pace.at = since_submission(attempt.reported_at);
  const math::Mapped mapped = mapped_by(id, attempt);
  pace.rate = mapped.rate();
  pace.known = tells(mapped, attempt) || seconds(attempt.segment.age) > patience(attempt.segment);
  const bool has_taken_all = attempt.segment.moves > 0 && attempt.offset >= attempt.held.end;
  const double usual = usual_fixed(attempt);
  const bool shows_none = pace.rate <= 0 || (has_taken_all && is_late_without_pace(attempt));
  if (shows_none && !sample_.finished().empty() && usual < math::kInfinity) {
    pace.known = true;
    pace.rate = 0;
    const double per_byte = sample_.takes_at_once() ? 0 : sample_.usual_finished();
    pace.seals_at = end_without_pace(attempt, attempt.held.end, usual, per_byte);
    return pace;
  }
  if (mapped.moves > 1) pace.error = std::max(kErrorLeast, kReadingError / std::sqrt(mapped.moves - 1));
  if (attempt.segment.moves > 0 && pace.rate > 0 && usual < math::kInfinity) {
    const double bytes = pace.offset - static_cast<double>(attempt.held.begin);
    const double beyond = std::max(0.0, seconds(attempt.segment.age) - bytes / pace.rate);
    pace.seals_at = pace.at + math::rest_of_start(beyond, usual);
  }
  return pace;
}

void Outlook::on_sealed(const Cluster& cluster, AttemptId id, ByteRange segment, const SegmentTimes& times) {
  if (!times.is_known()) return;
  ++learnt_;
  const math::Beginning how = cluster.find_attempt(id)->beginning();
  sealed_[id] += math::learn_from_sealed(times, static_cast<double>(segment.size()), how, sample_);
}

}  // namespace ontime::scheduler
