// Three accounts of one history have to agree: the scheduler that lives, one that has read its journal, and the model.
#include "tests/model/modelled_cluster.h"
#include "tests/scheduler/durable_text.h"

namespace ontime::model {
namespace {

std::string compare_tasks(AttemptId first, const FactModel::Task& model, const scheduler::Task& task) {
  const auto& segments = task.ledger.segments();
  if (segments.size() != model.segments.size()) return to_string(first.task) + ": the model has other segments";
  auto expected = model.segments.begin();
  for (const scheduler::Segment& segment : segments) {
    const FactModel::Segment is{segment.range.end, segment.sealed};
    if (expected->first != segment.range.begin || expected->second != is)
      return to_string(first.task) + ": the model has other segments";
    ++expected;
  }
  if (task.attempts.size() != model.attempts.size()) return to_string(first.task) + ": the model has other attempts";
  for (std::uint32_t number = 0; number < model.attempts.size(); ++number) {
    const scheduler::Attempt& attempt = task.attempts[number];
    const FactModel::Attempt& other = model.attempts[number];
    const bool agree = attempt.node == other.node && is_live(attempt.state) == other.is_live &&
                       (!other.is_live || (attempt.held == other.held && attempt.standby == other.is_standby));
    if (!agree) return to_string(AttemptId{first.task, number}) + ": the model holds something else of it";
  }
  return {};
}

}  // namespace

std::string ModelledCluster::compare() const {
  scheduler::Cluster rebuilt;
  for (const scheduler::JournalRecord& record : journal_) rebuilt.apply(record);
  if (scheduler::test::durable(rebuilt) != scheduler::test::durable(cluster()))
    return "the journal rebuilds another state";
  for (const auto& [id, job] : cluster().jobs()) {
    const FactModel::Job* expected = model_.find_job(id);
    if (expected == nullptr || expected->state != job.state) return to_string(id) + ": the model has another state";
    for (std::uint32_t index = 0; index < job.tasks.size(); ++index) {
      std::string wrong = compare_tasks({{id, index}, 0}, expected->tasks.at(index), job.tasks[index]);
      if (!wrong.empty()) return wrong;
    }
  }
  return {};
}

}  // namespace ontime::model
