#pragma once
// How far an experiment is: one line on a terminal, redrawn; elsewhere a line for each run that is done.

#include <chrono>
#include <cstddef>
#include <string>

namespace ontime::lab::experiment {

class ProgressOfRuns {
 public:
  // `done` of `runs` were there already.
  ProgressOfRuns(std::size_t runs, std::size_t done, bool quiet);
  ~ProgressOfRuns() { clear(); }
  ProgressOfRuns(const ProgressOfRuns&) = delete;
  ProgressOfRuns& operator=(const ProgressOfRuns&) = delete;

  // The current run is `share` done.
  void show(double share, const std::string& name);
  void finished(const std::string& name, const std::string& result);
  void say(const std::string& line);

 private:
  using Clock = std::chrono::steady_clock;
  void clear();

  const std::size_t runs_;
  const std::size_t done_before_;
  const bool quiet_;
  const bool is_terminal_;
  std::size_t done_;
  bool is_shown_ = false;
  Clock::time_point begun_ = Clock::now();
};

}  // namespace ontime::lab::experiment
