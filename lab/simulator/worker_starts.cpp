// What simulated applications do before and beside mapping bytes at a rate: their starts, what they read ahead, records
// that take long, and who answers cuts meanwhile.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "lab/simulator/workers.h"

namespace ontime::lab {
namespace {

// A worker answers a cut for a runner that has not done so by then.
constexpr Duration kWorkerAnswers = std::chrono::milliseconds(250);

constexpr double kFactorMin = 1e-6;  // of a record's time

}  // namespace

Motion Workers::motion_on(const Attempt& attempt, ByteRange held) const {
  const JobLoad& job = jobs_[attempt.id.task.job.value - 1];
  const JobGroup& group = *job.group;
  const std::uint64_t ahead = std::max(group.times.reads_ahead, attempt.disturbance.reads_ahead);
  Habit habit{.reads_ahead = ahead, .records = {}, .is_plain = is_plain(group)};
  if (!group.times.record_time.is_constant() || group.times.record_time.median() != 1) {
    const std::uint64_t size = group.size.record_bytes;
    const std::uint64_t first = (attempt.split.begin + size - 1) / size;
    std::vector<double> factors;
    for (std::uint64_t record = first; record * size < attempt.split.end; ++record) {
      Random random(seed_, Purpose::RecordTime, job.planned, record);
      factors.push_back(std::max(kFactorMin, group.times.record_time.sample(random)));
    }
    habit.records = std::make_shared<const RecordTimes>(size, first, factors);
  }
  return {held, group.size.record_bytes, std::move(habit)};
}

void Workers::begin_segment(Attempt& attempt, TimePoint now) {
  attempt.motion.begin(now, draw_start(attempt));
  ++attempt.begun;
}

Duration Workers::draw_start(const Attempt& attempt) const {
  const JobLoad& job = jobs_[attempt.id.task.job.value - 1];
  const auto is_paid_for = [&](injection::StartOf of) {
    if (of == injection::StartOf::Segment) return true;
    return attempt.begun == 0 && (of == injection::StartOf::Attempt || !attempt.is_warm);
  };
  Duration start{0};
  if (is_paid_for(attempt.disturbance.start_of)) start += attempt.disturbance.start;
  if (!is_paid_for(job.group->times.start_of)) return start;
  const std::uint64_t name = std::uint64_t{attempt.id.number} << 32 | attempt.begun;
  Random random(seed_, Purpose::Start, job.planned, attempt.id.task.index, name);
  const double slowness = nodes_[attempt.node].slowness * slowdown_of(attempt);
  return start + from_seconds(job.group->times.start.sample(random) * slowness);
}

bool Workers::is_plain(const JobGroup& group) const {
  return group.times.is_plain() && !(scenario_.injection && scenario_.injection->has_starts());
}

// By what is done to it on purpose.
double Workers::slowdown_of(const Attempt& attempt) const {
  const injection::Disturbance& drawn = attempt.disturbance;
  if (drawn.bytes_per_second <= 0) return std::max(1.0, drawn.slowdown);
  return static_cast<double>(attempt.split.size()) / (seconds(scenario_.injection->pace) * drawn.bytes_per_second);
}

TimePoint Workers::answers_by(const Attempt& attempt, TimePoint now) const {
  const JobGroup& group = *jobs_[attempt.id.task.job.value - 1].group;
  return group.times.workers_answer.value_or(!is_plain(group)) ? now + kWorkerAnswers : TimePoint::max();
}

}  // namespace ontime::lab
