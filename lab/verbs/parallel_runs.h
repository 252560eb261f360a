#pragma once
// Runs of a study, several at a time, with a line that says how far they are.

#include <chrono>
#include <cstdint>
#include <string>

#include "common/base/result.h"
#include "lab/study/study_result.h"
#include "lab/verbs/run_journal.h"

namespace ontime::lab {

// Answers are the same however many `threads` there are. Runs that the journal has are not carried out again, the
// others are kept in it; nullptr: none is. `name` is for the line that tells how far they are. An interrupt (Ctrl-C,
// SIGTERM) leaves out what has not ended within a moment.
Execute parallel_runs(std::uint32_t threads, std::string name, RunJournal* journal = nullptr);

// How far many runs are: one line on a terminal, redrawn until it is taken off; elsewhere a line now and then.
class RunsLine {
 public:
  static constexpr std::chrono::seconds kNowAndThen{30};

  RunsLine(std::size_t runs, bool quiet, std::chrono::seconds now_and_then = kNowAndThen);
  ~RunsLine() { clear(); }
  RunsLine(const RunsLine&) = delete;
  RunsLine& operator=(const RunsLine&) = delete;

  // `done` of the runs are done; `share` of the work that there was when this was made.
  void show(double share, std::size_t done, const std::string& name);
  void clear();

 private:
  const std::size_t runs_;
  const bool quiet_;
  const bool redraws_;
  const std::chrono::seconds now_and_then_;
  bool is_shown_ = false;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point told_ = begun_;
};

// "[=====>    ]  43%  31/72 runs  about 2m10s left  shed-plus-4"; `left` in seconds, negative: not known yet.
std::string runs_line(double share, std::size_t done, std::size_t all, double left, const std::string& name);

}  // namespace ontime::lab
