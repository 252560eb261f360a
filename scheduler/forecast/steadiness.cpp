#include "scheduler/forecast/steadiness.h"

#include "common/base/median.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace ontime::scheduler {
namespace {

constexpr std::size_t kTasksLookedAt = 256;
constexpr double kSpreadUsualWeight = 1;  // in attempts
constexpr double kKeepPrior = 0.05;       // sum of squares by which attempts differ, before anything was seen

// How much later than its pace has shown last, if it has sealed all that it held.
std::optional<double> lag_of(const Attempt& attempt) {
  const double watched = seconds(attempt.later.at - attempt.started_at);
  const double mapped = static_cast<double>(attempt.later.offset) - static_cast<double>(attempt.start_offset);
  if (attempt.state != AttemptState::Succeeded || !(watched > 0) || !(mapped > 0)) return std::nullopt;
  const double left = static_cast<double>(attempt.offset) - static_cast<double>(attempt.later.offset);
  return seconds(attempt.ended_at - attempt.later.at) - left * watched / mapped;
}

}  // namespace

std::optional<double> change_of_speed(const Attempt& attempt) {
  const double all = seconds(attempt.reported_at - attempt.started_at);
  const double late = seconds(attempt.reported_at - attempt.earlier.at);
  if (attempt.started_at == TimePoint{} || attempt.earlier.at == attempt.later.at) return std::nullopt;
  if (!(late > 0) || !(all > late) || attempt.offset <= attempt.earlier.offset) return std::nullopt;
  const double of_late = static_cast<double>(attempt.offset - attempt.earlier.offset) / late;
  return std::log(of_late * all / static_cast<double>(attempt.offset - attempt.start_offset));
}

// An attempt whose speed is drawn anew now and then has shown the mean of a few draws: the more its speed of late
// differs from that, and the less attempts differ by it, the more draws there were.
Steadiness steadiness_of(const Job& job) {
  double changes = 0;  // sums of squares
  double speeds = 0;
  double sum = 0;
  double lasted = 0;
  double count = 0;
  std::vector<double> lags;
  const std::size_t step = 1 + job.tasks.size() / kTasksLookedAt;
  for (std::size_t index = 0; index < job.tasks.size(); index += step) {
    for (const Attempt& attempt : job.tasks[index].attempts) {
      if (const auto lag = lag_of(attempt)) lags.push_back(*lag);
      const auto change = change_of_speed(attempt);
      if (!change) continue;
      const double took = seconds(attempt.reported_at - attempt.started_at);
      const double speed = std::log(static_cast<double>(attempt.offset - attempt.start_offset) / took);
      changes += *change * *change;
      speeds += speed * speed;
      sum += speed;
      lasted += took;
      ++count;
    }
  }
  Steadiness steadiness;
  if (!lags.empty()) steadiness.lag = std::max(0.0, median_of(std::move(lags)));
  const double usual = kSpreadUsualWeight * kSpreadUsual * kSpreadUsual;
  steadiness.spread = std::sqrt((changes + usual) / (count + kSpreadUsualWeight));
  if (count < 3) return steadiness;
  const double differ = std::max(0.0, speeds - sum * sum / count) + kKeepPrior;
  steadiness.keep = differ / (changes + differ);
  steadiness.variance = (changes + differ - kKeepPrior) / count;
  steadiness.holds = lasted / count * steadiness.keep / std::max(1e-6, 1 - steadiness.keep);
  return steadiness;
}

}  // namespace ontime::scheduler
