#pragma once
// What is durable of a cluster, as text, to compare two.

#include <sstream>
#include <string>

#include "scheduler/core/cluster.h"

namespace ontime::scheduler::test {

inline std::string durable(const Cluster& cluster) {
  std::ostringstream text;
  for (const auto& [id, node] : cluster.nodes()) text << to_string(id) << ' ' << name_of(node.duty) << '\n';
  for (const auto& [id, job] : cluster.jobs()) {
    text << to_string(id) << ' ' << static_cast<int>(job.state) << ' ' << job.tasks_done << ' ' << job.sealed_bytes
         << ' ' << job.sealed_records << ' ' << job.attempts_failed << ' ' << job.message << '\n';
    for (const auto& [name, value] : job.counters) text << ' ' << name.second << '=' << value << '\n';
    for (const auto& [file, why] : job.left_out) text << " left out " << file << ": " << why << '\n';
    for (const Task& task : job.tasks.all()) {
      for (const Segment& segment : task.ledger.segments()) {
        text << ' ' << segment.range.begin << '-' << segment.range.end << (segment.sealed ? '*' : '.')
             << segment.attempt << 'f' << static_cast<int>(segment.failures);
      }
      for (const Attempt& attempt : task.attempts) {
        const bool live = is_live(attempt.state);
        text << " a:" << attempt.node.value << (live ? "live" : std::to_string(static_cast<int>(attempt.state)));
        text << attempt.held.begin << '-' << attempt.held.end << (attempt.standby ? "s" : "") << 'b' << attempt.beside.count();
      }
      text << '\n';
    }
  }
  return text.str();
}

}  // namespace ontime::scheduler::test
