#pragma once
// What `ontime top` shows: jobs by urgency, slots, and what has changed. Pure, but for what it remembers to tell
// changes.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "cli/show/lateness.h"
#include "cli/show/table.h"
#include "common/protocol/client.pb.h"

namespace ontime::cli {

class TopView {
 public:
  struct Size {
    Look look{};
    std::size_t height = 0;  // lines of the terminal; 0: no limit
  };

  // Notes what has changed since the call before.
  void update(const wire::Reply::Jobs& jobs, const wire::Reply::Nodes& nodes, std::int64_t now_unix_ns);
  // What was noted last, in at most so many lines. `trouble`: why that may be old; empty: it is not.
  std::string text(Size size, const std::string& trouble = "") const;

 private:
  struct JobSeen {
    wire::JobState state;
    Lateness lateness;
  };
  void note_jobs(const wire::Reply::Jobs& jobs);
  void note_nodes(const wire::Reply::Nodes& nodes);
  void note(const std::string& what);
  std::string head() const;
  std::string table(Look look, std::size_t rows_max) const;

  std::int64_t now_ = 0;
  wire::Reply::Jobs jobs_;  // the most urgent first
  wire::Reply::Nodes nodes_;
  bool has_seen_ = false;
  std::map<std::uint32_t, JobSeen> jobs_seen_;
  std::map<std::string, std::string> nodes_seen_;  // states by name
  std::deque<std::string> changes_;                // the latest first
};

}  // namespace ontime::cli
