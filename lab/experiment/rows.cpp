#include "lab/experiment/rows.h"

#include <algorithm>
#include <cmath>

namespace ontime::lab::experiment {
namespace {

template <class Row>
void add(std::vector<Row>& to, const std::vector<Row>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

void Results::append(const Results& more) {
  add(jobs, more.jobs);
  add(tasks, more.tasks);
  add(attempts, more.attempts);
  add(copies, more.copies);
  add(forecasts, more.forecasts);
}

std::vector<UsePoint> use_over_time(const std::vector<AttemptRow>& attempts, double begin, double end,
                                    std::size_t points) {
  if (points == 0 || !(end > begin)) return {};
  const double step = (end - begin) / static_cast<double>(points);
  std::vector<UsePoint> use(points);
  for (std::size_t i = 0; i < points; ++i) use[i].at = begin + step * static_cast<double>(i);
  for (const AttemptRow& attempt : attempts) {
    const double from = std::max(begin, attempt.launched);
    const double to = std::isnan(attempt.ended) ? end : std::min(end, attempt.ended);
    if (!(to > from)) continue;
    const auto first = static_cast<std::size_t>((from - begin) / step);
    const auto last = std::min(points - 1, static_cast<std::size_t>((to - begin) / step));
    for (std::size_t i = first; i <= last; ++i) {
      use[i].busy += std::max(0.0, std::min(to, use[i].at + step) - std::max(from, use[i].at)) / step;
    }
  }
  return use;
}

}  // namespace ontime::lab::experiment
