#include "lab/verbs/parallel_runs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <utility>

#include "cli/cluster/interrupt.h"
#include "cli/show/progress_line.h"

namespace ontime::lab {

using namespace cli;
namespace {

constexpr std::chrono::milliseconds kTick{200};
constexpr std::size_t kBar = 24;

class Crew {
 public:
  Crew(std::span<const PlannedRun> runs, std::string name)
      : runs_(runs), name_(std::move(name)), results_(runs.size()) {
    for (const PlannedRun& run : runs) weight_ += run.weight;
  }

  Result<std::vector<RunResult>> work(std::uint32_t threads) {
    {
      std::vector<std::jthread> crew;
      const std::size_t hands = std::min<std::size_t>(threads, runs_.size());
      for (std::size_t i = 0; i < hands; ++i) crew.emplace_back([this] { take_runs(); });
      watch();
    }
    if (const auto wanted = check_interrupts(); !wanted) return wanted.error();
    return std::move(results_);
  }

 private:
  void take_runs() {
    for (std::size_t index = next_++; index < runs_.size() && !stop_; index = next_++) {
      results_[index] = carry_out(runs_[index]);
      const std::lock_guard lock(mutex_);
      ++done_;
      done_weight_ += runs_[index].weight;
      if (done_ == runs_.size()) all_done_.notify_one();
    }
  }

  void watch() {
    RunsLine line(runs_.size(), false);
    std::unique_lock lock(mutex_);
    while (!all_done_.wait_for(lock, kTick, [this] { return done_ == runs_.size(); })) {
      if (!check_interrupts()) {
        stop_ = true;
        break;
      }
      line.show(weight_ > 0 ? done_weight_ / weight_ : 1, done_, name_);
    }
  }

  std::span<const PlannedRun> runs_;
  std::string name_;
  std::vector<RunResult> results_;  // each written by the one thread that has taken its run
  double weight_ = 0;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;  // guards what follows
  std::condition_variable all_done_;
  std::size_t done_ = 0;
  double done_weight_ = 0;
};

}  // namespace

std::string runs_line(double share, std::size_t done, std::size_t all, double left, const std::string& name) {
  const auto filled = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * kBar);
  std::string line = "[" + std::string(filled, '=') + (filled < kBar ? ">" : "");
  line.resize(kBar + 1, ' ');
  line += fmt::format("] {:3.0f}%  {}/{} runs  ", 100 * share, done, all);
  if (left >= 0) line += "about " + short_duration(from_seconds(left)) + " left  ";
  return line + name;
}

RunsLine::RunsLine(std::size_t runs, bool quiet) : runs_(runs), shows_(!quiet && isatty(STDERR_FILENO) == 1) {}

void RunsLine::clear() {
  if (std::exchange(is_shown_, false)) std::fputs("\r\033[K", stderr);
}

void RunsLine::show(double share, std::size_t done, const std::string& name) {
  if (!shows_) return;
  const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  const double left = share > 0.01 ? spent * (1 - share) / share : -1;
  std::fprintf(stderr, "\r%s\033[K", runs_line(share, done, runs_, left, name).c_str());
  is_shown_ = true;
}

Execute parallel_runs(std::uint32_t threads, std::string name) {
  return [threads, name](std::span<const PlannedRun> runs) { return Crew(runs, name).work(threads); };
}

}  // namespace ontime::lab
