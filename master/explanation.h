#pragma once
// Why something was done about the tasks of a job, or not, as clients see it: decisions of its policy with what became
// of the attempts that they launched. Built for one answer; the job must not change meanwhile.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "common/protocol/client.pb.h"
#include "scheduler/model/cluster.h"

namespace ontime::master {

class Explanation {
 public:
  Explanation(const scheduler::Cluster& cluster, const scheduler::Job& job, TimePoint now);

  // Everything but the summary. Tasks with decisions come before tasks that were only declined, and those before tasks
  // that only have clones, when there are more than asked for.
  void append_to(wire::Reply::Explained& reply, const wire::Request::Explain& request) const;

  // How many speculative attempts were launched for which reason.
  void tally(wire::Reply::Job& reply) const;

 private:
  using Decisions = std::vector<const scheduler::DecisionAt*>;

  const Decisions& decisions_of(std::uint32_t task) const;
  std::vector<std::uint32_t> choose_tasks(const wire::Request::Explain& request, std::uint32_t& left_out) const;
  std::vector<std::uint32_t> in_order_of_interest() const;
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
