// What the ends of a job's scenarios say of it.
#include <algorithm>
#include <cmath>

#include "scheduler/forecast/remainder.h"
#include "scheduler/math/numeric.h"

namespace ontime::scheduler {
namespace {

constexpr double kSmoothing = 0.01;  // of the time left: so far apart scenarios' ends flow together

// Records of which one can have a piece be late; the times of more average out.
constexpr double kRecordsTold = 10;

}  // namespace

// Of n draws at random instants the mean varies by 2 / n of what one does.
double Grain::of(double piece) const {
  if (!(piece < whole) || !(bytes > 0)) return 1;
  const auto varies = [&](double mapped) { return std::min(1.0, 2 * bytes / mapped); };
  return std::sqrt(keeps + (1 - keeps) * varies(piece) / varies(whole));
}

double Grain::sticks(double piece) const {
  return bytes > 0 ? (1 - keeps) * std::min(1.0, kRecordsTold * taken / std::max(1.0, piece)) : 0;
}

double quantile(const std::vector<double>& ends, double q) {
  const double place = q * static_cast<double>(ends.size()) - 0.5;
  const auto at = static_cast<std::size_t>(std::max(0.0, place));
  if (at + 1 >= ends.size() || !(ends[at + 1] < math::kInfinity)) return ends[std::min(at + 1, ends.size() - 1)];
  return ends[at] + (place - static_cast<double>(at)) * (ends[at + 1] - ends[at]);
}

double share_before(const std::vector<double>& ends, double now, double deadline) {
  double sum = 0;
  for (const double end : ends) {
    const double width = std::max(kSoonestEnd, kSmoothing * (end - now));
    if (end < math::kInfinity) sum += std::clamp(0.5 + (deadline - end) / width / 2, 0.0, 1.0);
  }
  return sum / static_cast<double>(ends.size());
}

}  // namespace ontime::scheduler
