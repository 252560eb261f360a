#pragma once
// Journals in etcd for tests, and records that are told apart.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "master/journal/etcd_journal.h"
#include "scheduler/core/record.h"

namespace ontime::journal {

// In the order in which they are appended: leadership by leadership, and from 0 in each.
struct Mark {
  std::uint32_t leadership = 0;
  std::uint32_t number = 0;
  auto operator<=>(const Mark&) const = default;
};

inline constexpr JobId kMarks{1};

inline scheduler::JournalRecord record_of(const Mark& mark) {
  const AttemptId attempt{{kMarks, mark.leadership}, mark.number};
  return {from_unix_ns(mark.number), scheduler::fact::AttemptLaunched{attempt, NodeId{1}, {0, 10}, false}};
}

// A record of a job whose bytes are about so many.
inline scheduler::JournalRecord large_record(std::uint32_t job, std::size_t bytes) {
  scheduler::fact::JobAccepted accepted;
  accepted.job = JobId{job};
  accepted.spec.parameters["large"] = std::string(bytes, static_cast<char>('a' + job % 26));
  return {from_unix_ns(1), accepted};
}

inline scheduler::JournalRecord forget(std::uint32_t job) {
  return {from_unix_ns(1), scheduler::fact::JobForgotten{JobId{job}}};
}

inline std::vector<Mark> marks_in(Journal& journal, Status& status) {
  std::vector<Mark> marks;
  status = journal.read_all([&](const scheduler::JournalRecord& record) {
    if (const auto* launched = std::get_if<scheduler::fact::AttemptLaunched>(&record.fact))
      marks.push_back({launched->attempt.task.index, launched->attempt.number});
  });
  return marks;
}

}  // namespace ontime::journal
