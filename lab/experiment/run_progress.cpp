#include "lab/experiment/run_progress.h"

#include <unistd.h>

#include <cstdio>

#include "lab/verbs/parallel_runs.h"

namespace ontime::lab::experiment {

ProgressOfRuns::ProgressOfRuns(std::size_t runs, std::size_t done, bool quiet)
    : runs_(runs), done_before_(done), quiet_(quiet), is_terminal_(isatty(STDERR_FILENO) == 1), done_(done) {}

void ProgressOfRuns::clear() {
  if (is_shown_) std::fputs("\r\033[K", stderr);
  is_shown_ = false;
}

void ProgressOfRuns::show(double share, const std::string& name) {
  if (quiet_ || !is_terminal_) return;
  const double whole = static_cast<double>(runs_ - done_before_);
  const double done = (static_cast<double>(done_ - done_before_) + share) / whole;
  const double spent = std::chrono::duration<double>(Clock::now() - begun_).count();
  const double left = done > 0.01 ? spent * (1 - done) / done : -1;
  std::fprintf(stderr, "\r%s\033[K", runs_line(done, done_, runs_, left, name).c_str());
  is_shown_ = true;
}

void ProgressOfRuns::finished(const std::string& name, const std::string& result) {
  ++done_;
  if (!quiet_) say("[" + std::to_string(done_) + "/" + std::to_string(runs_) + "] " + name + ": " + result);
}

void ProgressOfRuns::say(const std::string& line) {
  clear();
  std::fprintf(stderr, "%s\n", line.c_str());
}

}  // namespace ontime::lab::experiment
