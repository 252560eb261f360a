#pragma once
// A job of any size as a picture of bounded size, for pages: how many attempts ran when and where, what is done of the
// input, what has failed and what took longest; and what was expected of it over time.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/protocol/client.pb.h"
#include "master/clients/views.h"
#include "scheduler/core/cluster.h"
#include "scheduler/core/job.h"

namespace ontime::master {

// How many of something there were, in the mean over each step of a time axis.
class StepMeans {
 public:
  explicit StepMeans(Duration step) : step_(step) {}
  // One more between two instants of the axis. O(1).
  void add(Duration from, Duration to);
  std::size_t step_of(Duration at) const;
  std::vector<double> means() const;

  static constexpr std::size_t kSteps = 160;

 private:
  Duration step_;
  std::vector<std::int64_t> part_ = std::vector<std::int64_t>(kSteps);  // nanoseconds in steps that it fills in part
  std::vector<std::int64_t> change_ = std::vector<std::int64_t>(kSteps + 1);  // of the number that fill a step
};

// It looks at all attempts, so of a large job in slices. Between two of them the job may change, but it must not be
// removed; a task that changes counts as it was or as it is. Threads: none of its own.
class OverviewMaker {
 public:
  OverviewMaker(const scheduler::Cluster& cluster, JobId id, const scheduler::Job& job, TimePoint now);

  static constexpr std::uint32_t kAllAtOnce = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::size_t kRows = 48;
  static constexpr std::size_t kPlaces = 400;
  static constexpr std::size_t kListed = 50;  // failures, and likewise attempts that took longest

  // Looks at that many more tasks; true when all have been seen.
  bool look(const scheduler::Job& job, std::uint32_t slice = kAllAtOnce);
  wire::Overview view(const scheduler::Job& job, const AttemptMessages& failures) const;

 private:
  struct Row {
    explicit Row(Duration step) : busy(step) {}
    std::vector<NodeId> nodes{};
    StepMeans busy;
    std::vector<std::uint32_t> failed{};  // by step; empty: none
    std::uint32_t attempts = 0;
    std::uint32_t attempts_failed = 0;
    std::uint64_t mapped_bytes = 0;
    Duration busy_time{0};
  };
  struct Listed {
    std::int64_t weight;  // the greater, the earlier in the list
    AttemptId attempt;
  };

  Row& row_of(NodeId node);
  void look_at(const scheduler::Task& task, std::uint32_t index);
  void look_at(const scheduler::Attempt& attempt, AttemptId id);
  static void list(std::vector<Listed>& all, Listed added);
  void fill(wire::OverviewRow& to, const Row& row) const;
  void fill(google::protobuf::RepeatedPtrField<wire::TaskAttempt>& to, std::vector<Listed> all,
            const scheduler::Job& job, const AttemptMessages& failures) const;

  const scheduler::Cluster& cluster_;
  const JobId id_;
  const TimePoint begin_;
  const TimePoint end_;
  const Duration step_;
  const std::uint32_t tasks_in_place_;
  std::vector<NodeId> nodes_;  // ascending
  std::vector<Row> rows_;
  StepMeans running_;
  std::vector<wire::OverviewPlace> places_;
  std::vector<Listed> failures_;
  std::vector<Listed> longest_;
  std::uint32_t attempts_ = 0;
  std::uint32_t next_ = 0;  // task to look at
};

// What was expected of one job whenever somebody asked, thinned out so that it is bounded. Threads: none of its own.
class ForecastTrack {
 public:
  void add(Duration at, const wire::Forecast& forecast);  // not earlier than the one before
  void append_to(wire::Reply::Job& reply) const;

  static constexpr std::size_t kPoints = 120;

 private:
  std::vector<wire::ForecastPoint> points_;
  Duration apart_{0};  // two points are at least so far from each other; the last one may be nearer
};

}  // namespace ontime::master
