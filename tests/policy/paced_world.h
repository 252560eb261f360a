#pragma once
// A World whose attempts run: each maps at a steady rate, obeys cuts as a runner does (finishing the bytes before a
// seal point, sealing there), and reports in every step.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/scheduler/scheduler_fixture.h"

namespace ontime::scheduler::test {

// All that the plan says: plans with the same text are the same.
std::string in_words(const Plan& plan);

class PacedWorld {
 public:
  struct Launch {
    AttemptId attempt;
    ByteRange range;
    double at;  // seconds after the world's beginning
  };

  explicit PacedWorld(Settings settings = {}) : world_(std::move(settings)), began_(world_.now()) {}

  void add_nodes(std::uint32_t count, std::uint32_t slots = 1);
  // Bytes per second of an attempt; asked for at every launch.
  void set_rate(std::function<double(AttemptId)> rate) { rate_ = std::move(rate); }
  void set_launch(Duration launch) { launch_ = launch; }
  void set_step(Duration step) { step_ = step; }
  // Cuts are answered so much later.
  void set_answer_delay(Duration delay) { answer_delay_ = delay; }

  // What an attempt has mapped when it is first reported to run: records come one by one.
  void set_first_record(double bytes) { first_record_ = bytes; }
  // No attempt that runs is reported between these two moments after the world's beginning: heartbeats are late.
  void be_silent(Duration from, Duration until) { silence_ = {began_ + from, began_ + until}; }

  // The attempt, which is running, maps nothing from now on and answers no cut, though its worker reports it.
  void stop(AttemptId id) { running_.at(id).is_stopped = true; }

  // Tasks of 1000 bytes each.
  JobId submit(std::uint32_t tasks, JobSpec spec);

  // In steps of 20 ms, unless told otherwise, until that much time has passed.
  void run(Duration duration);
  // Until the job has ended; false when that takes longer than `limit`.
  bool run_job(JobId job, Duration limit = std::chrono::seconds(1000));

  // The master; attempts run on and their nodes register again.
  void restart();

  World& world() { return world_; }
  const Cluster& cluster() const { return world_.cluster(); }
  double now() const { return seconds(world_.now() - began_); }
  const std::vector<Launch>& launches() const { return launches_; }
  std::vector<Launch> launches_of(TaskId task) const;
  // Where attempts of the task were cut, in order.
  const std::vector<std::uint64_t>& cuts(TaskId task) { return cuts_[task]; }
  // The decisions of the job's policy that were notes.
  std::vector<std::string> notes(JobId job) const;
  std::uint32_t live_attempts(TaskId task) const;
  // Attempts of the job that were launched beside or after the first of their task.
  std::size_t copies(JobId job) const;
  // Why its policy left the task alone, if it said so.
  std::optional<Reason> declined(JobId job, std::uint32_t task = 0) const;

 private:
  struct Running {
    double offset = 0;
    double rate = 0;
    std::uint64_t begin = 0;  // of what is not sealed yet
    std::uint64_t end = 0;
    std::set<std::uint64_t> seal_points;
    TimePoint starts;
    bool standby = false;
    bool has_started = false;
    bool is_stopped = false;
  };

  void obey();
  void cut(const action::CutAttempt& order);
  void advance(AttemptId id, double time);

  World world_;
  TimePoint began_;
  std::function<double(AttemptId)> rate_ = [](AttemptId) { return 100.0; };
  Duration launch_ = std::chrono::milliseconds(100);
  Duration step_ = std::chrono::milliseconds(20);
  Duration answer_delay_{0};
  double first_record_ = 0;
  std::pair<TimePoint, TimePoint> silence_{};
  std::vector<std::pair<TimePoint, action::CutAttempt>> unanswered_;  // when each is due; in this order
  std::map<AttemptId, Running> running_;
  std::vector<Launch> launches_;
  std::map<TaskId, std::vector<std::uint64_t>> cuts_;
};

}  // namespace ontime::scheduler::test
