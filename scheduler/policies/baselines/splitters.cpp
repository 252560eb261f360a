// Systems that stop a straggler and divide what it has left: SkewTune, YTsaurus, Dataflow. They know what is left, as
// here, and stop an attempt between two records. What they do at once is a cut that releases the rest.
#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <vector>

#include "scheduler/policies/baselines/baselines.h"
#include "scheduler/policies/open_segments.h"
#include "scheduler/policies/split_resume/split_resume.h"

namespace ontime::scheduler {

std::vector<double> skewtune_shares(double work, std::span<const double> available, double overhead) {
  std::vector<double> begins;  // of the work on each slot that is used
  double end = 0;
  double sum = 0;
  for (const double at : available) {
    const double begin = at + overhead;
    if (!begins.empty() && end - begin < 2 * overhead) break;
    begins.push_back(begin);
    sum += begin;
    end = (work + sum) / static_cast<double>(begins.size());
  }
  // The last one may leave less than two overheads to itself now that it shares.
  while (begins.size() > 1 && end - begins.back() < 2 * overhead) {
    sum -= begins.back();
    begins.pop_back();
    end = (work + sum) / static_cast<double>(begins.size());
  }
  for (double& begin : begins) begin = end - begin;
  return begins;
}

std::uint32_t ytsaurus_pieces(double left, double least, std::uint32_t most) {
  if (!(left > least)) return 1;
  return static_cast<std::uint32_t>(std::min(left / std::max(least, 1e-9), static_cast<double>(most)));
}

namespace {

// A segment that one attempt works on, whose end can be told.
struct Rest {
  const JobView* job;
  OpenSegment segment;
  double left;      // seconds until it is sealed as things are
  double position;  // the offset where the attempt is now

  const Attempt& attempt() const { return *segment.racers.front().attempt; }
  double rate() const { return segment.racers.front().pace.rate; }
};

void add_rests(const View& view, const JobView& job, std::vector<Rest>& rests) {
  const double now = job.since_submission(view.now);
  const std::span<const std::uint8_t> live = job.outlook->live_attempts();
  for (std::uint32_t task = 0; task < live.size(); ++task) {
    if (live[task] == 0) continue;
    for (OpenSegment& segment : open_segments(job, task)) {
      const Racer& racer = segment.racers.front();
      const bool can_be_told = racer.pace.known && racer.pace.rate > 0 && std::isfinite(racer.completion);
      if (segment.in_change || segment.racers.size() > 1 || !can_be_told || segment.range.is_open_ended()) continue;
      const double position = position_of(racer, segment, now);
      rests.push_back({&job, std::move(segment), racer.completion - now, position});
    }
  }
}

bool has_less_left(const Rest& a, const Rest& b) { return a.left < b.left; }

// The attempt stops at `from`; the bytes behind it are divided in proportion to the shares.
std::optional<Speculate> divide(const Rest& rest, double from, const std::vector<double>& shares) {
  const ByteRange range = rest.segment.range;
  const auto begin = std::max(range.begin + 1, static_cast<std::uint64_t>(from));
  if (begin >= range.end) return std::nullopt;
  GivenTail tail{{{begin, 1}}, Handover::Predicted};
  for (const std::uint64_t border : borders_of(begin, range.end, shares)) tail.pieces.push_back({border, 1});
  Speculate decision;
  decision.task = rest.segment.task;
  decision.segment = range.begin;
  decision.work = std::move(tail);
  decision.reason = Reason::Slow;
  decision.completion = rest.segment.completion();
  decision.rate = rest.rate();
  return decision;
}

// Calls look(job, its rests) for each job of which nothing waits, while slots are idle.
template <class Look>
void look_while_idle(const View& view, const std::uint32_t& idle, const Look& look) {
  for (const JobView& job : view.jobs) {
    if (idle == 0) return;
    if (job.waiting > 0) continue;
    std::vector<Rest> rests;
    add_rests(view, job, rests);
    if (!rests.empty()) look(job, rests);
  }
}

// SkewTune: when a slot is idle and nothing waits, the task with the most left is stopped, if that is more than two
// overheads, and what it has not read is divided among all slots as skewtune_shares() has it. One task of a job at a
// time. The overhead, the time to begin on a piece, is the job's launch unless given.
class SkewTune final : public Policy {
 public:
  explicit SkewTune(Parameters& parameters)
      : overhead_(parameters.optional_duration("overhead")),
        most_(parameters.count("pieces", kSlotsPerGrantMax, 1, kSlotsPerGrantMax)),
        clock_(parameters.period("check", 1)),
        hints_(parameters.durations()) {}

  Plan plan(const View& view) override {
    Plan plan;
    if (!clock_.is_due(view.now, plan)) return plan;
    std::uint32_t idle = view.spare_slots();
    look_while_idle(view, idle, [&](const JobView& job, const std::vector<Rest>& rests) {
      const auto longest = std::max_element(rests.begin(), rests.end(), has_less_left);
      const double overhead = overhead_.value_or(durations_of(view, job, hints_).launch);
      if (!(longest->left > 2 * overhead)) {
        plan.add(Decline{longest->segment.task, Reason::RemainingShorterThanLaunch});
        return;
      }
      const std::vector<double> shares = skewtune_shares(longest->left, slots_of(rests, *longest, idle), overhead);
      const auto decision = divide(*longest, longest->position, shares);
      if (!decision) return;
      idle -= std::min(idle, copies_of(*decision) - 1);  // its own slot becomes free
      plan.add(*decision);
    });
    return plan;
  }

 private:
  // Seconds until each is available: the idle ones and the one where the attempt stops, then the others.
  std::vector<double> slots_of(const std::vector<Rest>& rests, const Rest& stopped, std::uint32_t idle) const {
    std::vector<double> available(std::min(idle + 1, most_), 0);
    for (const Rest& rest : rests) {
      if (&rest != &stopped) available.push_back(std::max(0.0, rest.left));
    }
    std::sort(available.begin(), available.end());
    if (available.size() > most_) available.resize(most_);
    return available;
  }

  const std::optional<double> overhead_;  // seconds
  const std::uint32_t most_;
  PeriodicCheck clock_;
  const math::DurationHints hints_;
};

// Dataflow's dynamic work rebalancing, as far as it is public: each idle slot takes over a part of the task with the
// most left, such that both are done at the same time. The launch counts, and nothing shorter than it is given away.
class Dataflow final : public Policy {
 public:
  explicit Dataflow(Parameters& parameters) : clock_(parameters.period("check", 1)), hints_(parameters.durations()) {}

  Plan plan(const View& view) override {
    Plan plan;
    if (!clock_.is_due(view.now, plan)) return plan;
    std::uint32_t idle = view.spare_slots();
    look_while_idle(view, idle, [&](const JobView& job, std::vector<Rest>& rests) {
      std::sort(rests.begin(), rests.end(), [](const Rest& a, const Rest& b) { return has_less_left(b, a); });
      const double launch = durations_of(view, job, hints_).launch;
      for (const Rest& rest : rests) {
        const double given = (rest.left - launch) / 2;
        if (idle == 0 || !(given > launch)) break;
        const double from = static_cast<double>(rest.segment.range.end) - given * rest.rate();
        const auto decision = divide(rest, std::max(from, rest.position), {1});
        if (!decision) continue;
        plan.add(*decision);
        --idle;
      }
    });
    return plan;
  }

 private:
  PeriodicCheck clock_;
  const math::DurationHints hints_;
};

// YTsaurus' job splitter (job_splitter.cpp, and the options in its documentation). An attempt that has run, and has
// still to run, for more than max(`min_time`, `prepare_factor` times what it took to begin) is long if it belongs to
// the `percentile` that ends last and has `excess_factor` times the median left, and residual if at most
// max(`residual_count`, `residual_factor` of the most that ever ran) run. Then its rest is divided into at most
// `pieces`, or, of a split of less than `min_bytes`, a copy begins anew.
class Ytsaurus final : public Policy {
 public:
  explicit Ytsaurus(Parameters& parameters)
      : min_time_(parameters.duration("min_time", 60)),
        prepare_factor_(parameters.number("prepare_factor", 20, 0, 1e6)),
        percentile_(parameters.number("percentile", 0.8, 0, 1)),
        excess_factor_(parameters.number("excess_factor", 2.1, 0, 1e6)),
        residual_count_(parameters.count("residual_count", 10, 0, 1'000'000)),
        residual_factor_(parameters.number("residual_factor", 0.8, 0, 1)),
        min_bytes_(parameters.number("min_bytes", 1e9, 0, 1e15)),
        pieces_(parameters.count("pieces", 5, 1, 50)),
        copies_(parameters.count("speculative", 10, 1, 50)),
        clock_(parameters.period("check", 1)) {}

  Plan plan(const View& view) override {
    Plan plan;
    if (!clock_.is_due(view.now, plan)) return plan;
    std::uint32_t idle = view.spare_slots();
    std::map<JobId, std::size_t> most_running;
    for (const JobView& job : view.jobs) {
      std::size_t& most = most_running[job.id];
      if (const auto known = most_running_.find(job.id); known != most_running_.end()) most = known->second;
      most = std::max(most, job.job->live.size());
      look(view, job, most, idle, plan);
    }
    most_running_ = std::move(most_running);
    return plan;
  }

 private:
  double least_time(const Attempt& attempt) const {
    return std::max(min_time_, prepare_factor_ * seconds(attempt.started_at - attempt.launched_at));
  }

  void look(const View& view, const JobView& job, std::size_t most, std::uint32_t& idle, Plan& plan) const {
    std::vector<Rest> rests;
    add_rests(view, job, rests);
    if (rests.empty()) return;
    std::sort(rests.begin(), rests.end(), has_less_left);
    const double residual =
        std::max(static_cast<double>(residual_count_), residual_factor_ * static_cast<double>(most));
    const bool is_residual = static_cast<double>(job.job->live.size()) <= residual;
    const double median_left = rests[rests.size() / 2].left;
    const auto late_from = static_cast<std::size_t>(percentile_ * static_cast<double>(rests.size()));
    for (std::size_t i = rests.size(); i-- > 0 && idle > 0;) {
      const Rest& rest = rests[i];
      const double least = least_time(rest.attempt());
      if (!(age(rest.attempt(), view.now) > least) || !(rest.left > least) || rest.attempt().records == 0) continue;
      const bool is_long = i >= late_from && rest.left >= excess_factor_ * median_left;
      if (!is_long && !is_residual) continue;
      if (const auto decision = decide(rest, std::max(least, median_left))) {
        idle -= std::min(idle, copies_of(*decision));
        plan.add(*decision);
      }
    }
  }

  std::optional<Speculate> decide(const Rest& rest, double least) const {
    if (split_bytes(*rest.job, rest.segment.task.index) >= min_bytes_) {
      const std::uint32_t pieces = ytsaurus_pieces(rest.left, least, pieces_);
      return divide(rest, rest.position, std::vector<double>(pieces, 1));
    }
    if (attempts_on(*rest.job, rest.segment.task.index) > copies_) return std::nullopt;
    return race(*rest.job, rest.segment.task.index, 1, Reason::Slow);
  }

  const double min_time_;  // seconds
  const double prepare_factor_;
  const double percentile_;
  const double excess_factor_;
  const std::uint32_t residual_count_;
  const double residual_factor_;
  const double min_bytes_;
  const std::uint32_t pieces_;
  const std::uint32_t copies_;
  PeriodicCheck clock_;
  std::map<JobId, std::size_t> most_running_;  // attempts of a job at a time
};

}  // namespace

std::unique_ptr<Policy> make_skewtune(Parameters& parameters) { return std::make_unique<SkewTune>(parameters); }
std::unique_ptr<Policy> make_dataflow(Parameters& parameters) { return std::make_unique<Dataflow>(parameters); }
std::unique_ptr<Policy> make_ytsaurus(Parameters& parameters) { return std::make_unique<Ytsaurus>(parameters); }

}  // namespace ontime::scheduler
