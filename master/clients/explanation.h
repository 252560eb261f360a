#pragma once
// What clients see of a job's decisions: what its policy decided about tasks and why, why it did nothing, and how the
// attempts ended that it launched. A job of a million tasks is read in slices. Between two slices the job may change,
// but it must not be removed.

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/protocol/client.pb.h"
#include "scheduler/core/cluster.h"

namespace ontime::master {

class Explanation {
 public:
  Explanation(const scheduler::Cluster& cluster, const scheduler::Job& job, TimePoint now);

  static constexpr std::uint32_t kAllAtOnce = std::numeric_limits<std::uint32_t>::max();

  // Everything but the summary. If there are more tasks than asked for, those with decisions come first, then those
  // that were only declined, then those that only have clones. Reads `slice` tasks; true when it is done.
  struct Telling {
    std::uint32_t next = 0;  // task to look at
    std::uint32_t interesting = 0;
    std::size_t bytes = 0;                 // of the reply
    std::vector<std::uint32_t> chosen[3];  // by kind, each at most tasks_max
  };
  bool append_to(wire::Reply::Explained& reply, const wire::Request::Explain& request, Telling& telling,
                 std::uint32_t slice = kAllAtOnce) const;

  // How many speculative attempts were launched for which reason. Likewise.
  struct Tally {
    struct Count {
      std::uint32_t decisions = 0;
      std::uint32_t attempts = 0;
    };
    std::uint32_t next = 0;
    std::map<std::string, Count> counts;
    std::string clone_reason;
  };
  bool count(Tally& tally, std::uint32_t slice) const;
  static void append_to(wire::Reply::Job& reply, const Tally& tally);
  void tally(wire::Reply::Job& reply) const;  // all at once

 private:
  using Decisions = std::vector<std::size_t>;  // places in Job::decisions, which only grows

  const scheduler::DecisionAt& decision(std::size_t place) const { return job_.decisions[place]; }
  const Decisions& decisions_of(std::uint32_t task) const;
  // With decisions, only declined, or only with clones; none: nothing to tell.
  std::optional<int> kind_of(std::uint32_t task) const;
  bool choose(Telling& telling, const wire::Request::Explain& request, std::uint32_t slice) const;
  bool tell_in_order(wire::Reply::Explained& reply, Telling& telling, std::uint32_t slice) const;
  void tell_chosen(wire::Reply::Explained& reply, const wire::Request::Explain& request, const Telling& telling) const;
  void count_decisions(Tally& tally) const;
  void count_attempts(Tally& tally, std::uint32_t task) const;
  bool has_clones(const scheduler::Task& task) const;
  // By attempt number: which of the task's decisions launched it; none for originals, retries and clones.
  std::vector<std::optional<std::size_t>> launched_by(const scheduler::Task& task, const Decisions& decisions) const;

  void fill(wire::ExplainedTask& to, std::uint32_t index) const;
  void fill(wire::DecisionDetail& to, const scheduler::DecisionAt& decision) const;
  void fill(wire::CopyFate& to, const scheduler::Task& task, std::uint32_t number) const;
  std::int64_t since_submission(TimePoint at) const { return (at - job_.submitted_at).count(); }

  const scheduler::Cluster& cluster_;
  const scheduler::Job& job_;
  const TimePoint now_;
  std::map<std::uint32_t, Decisions> by_task_;
  Decisions of_job_;
};

}  // namespace ontime::master
