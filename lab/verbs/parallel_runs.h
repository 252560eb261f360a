#pragma once
// Runs of a study, several at a time, with a line on the terminal that says how far they are.

#include <chrono>
#include <cstdint>
#include <string>

#include "common/base/result.h"
#include "lab/study/study_result.h"

namespace ontime::lab {

// Answers are the same however many `threads` there are. The line has `name` and appears only if stderr is a terminal.
// Ends with an error on Ctrl-C.
Execute parallel_runs(std::uint32_t threads, std::string name);

// How far many runs are: one line on a terminal, redrawn until it is taken off; elsewhere nothing.
class RunsLine {
 public:
  RunsLine(std::size_t runs, bool quiet);
  ~RunsLine() { clear(); }
  RunsLine(const RunsLine&) = delete;
  RunsLine& operator=(const RunsLine&) = delete;

  // `done` of the runs are done; `share` of the work that there was when this was made.
  void show(double share, std::size_t done, const std::string& name);
  void clear();

 private:
  const std::size_t runs_;
  const bool shows_;
  bool is_shown_ = false;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

// "[=====>    ]  43%  31/72 runs  about 2m10s left  shed-plus-4"; `left` in seconds, negative: not known yet.
std::string runs_line(double share, std::size_t done, std::size_t all, double left, const std::string& name);

}  // namespace ontime::lab
