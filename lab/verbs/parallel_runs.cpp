#include "lab/verbs/parallel_runs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "cli/cluster/interrupt.h"
#include "cli/show/progress_line.h"
#include "cli/text_file.h"
#include "common/base/wording.h"
#include "common/hash/sha256.h"
#include "scheduler/policies/policy_files.h"

namespace ontime::lab {

using namespace cli;
namespace {

constexpr std::chrono::milliseconds kTick{200};
constexpr std::size_t kBar = 24;

std::string digest_of(const std::string& file) {
  const auto content = read_text_file(file);
  return content ? hex_digits(hash::sha256(*content)) : "";
}

class Crew {
 public:
  Crew(std::span<const PlannedRun> runs, std::string name, RunJournal* journal)
      : runs_(runs), name_(std::move(name)), journal_(journal), results_(runs.size()) {}

  Result<RunResults> work(std::uint32_t threads) {
    take_over();
    {
      std::vector<std::jthread> crew;
      const std::size_t hands = std::min<std::size_t>(threads, left_.size());
      for (std::size_t i = 0; i < hands; ++i) crew.emplace_back([this] { take_runs(); });
      watch();
    }
    if (!kept_) return kept_.error();
    return std::move(results_);
  }

 private:
  // What the journal has.
  void take_over() {
    for (std::size_t index = 0; index < runs_.size(); ++index) {
      const RunResult* before = journal_ != nullptr ? journal_->find(key_of(runs_[index])) : nullptr;
      if (before != nullptr)
        results_[index] = *before;
      else
        left_.push_back(index);
    }
    for (const std::size_t index : left_) weight_ += runs_[index].weight;
  }

  // Policies of one's own are files, on whose content a run depends.
  std::string key_of(const PlannedRun& run) {
    std::string key = run.key;
    for (const JobGroup& group : run.scenario->jobs) {
      const std::string& file = group.handling.policy;
      if (!scheduler::is_policy_file(file)) continue;
      const std::lock_guard lock(mutex_);
      auto known = digests_.find(file);
      if (known == digests_.end()) known = digests_.emplace(file, digest_of(file)).first;
      key += " " + known->second;
    }
    return key;
  }

  void take_runs() {
    const auto stop = [this] { return stop_.load() || interrupts() > 0; };
    for (std::size_t next = next_++; next < left_.size() && !stop(); next = next_++) {
      const std::size_t index = left_[next];
      const PlannedRun& run = runs_[index];
      results_[index] = carry_out(run, stop);
      Status kept;
      if (results_[index] && journal_ != nullptr) kept = journal_->keep(key_of(run), *results_[index]);
      const std::lock_guard lock(mutex_);
      ++done_;
      done_weight_ += run.weight;
      if (!kept) kept_ = kept;
      if (!kept_) stop_ = true;
      if (is_done()) all_done_.notify_one();
    }
  }

  bool is_done() const { return done_ == left_.size() || !kept_; }

  void watch() {
    RunsLine line(runs_.size(), false);
    const std::size_t before = runs_.size() - left_.size();
    std::unique_lock lock(mutex_);
    while (!all_done_.wait_for(lock, kTick, [this] { return is_done(); })) {
      if (!check_interrupts()) {
        stop_ = true;
        break;
      }
      line.show(weight_ > 0 ? done_weight_ / weight_ : 1, before + done_, name_);
    }
  }

  std::span<const PlannedRun> runs_;
  std::string name_;
  RunJournal* const journal_;
  RunResults results_;             // each written by the one thread that has taken its run
  std::vector<std::size_t> left_;  // of the runs
  double weight_ = 0;              // of them
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;  // guards what follows
  std::condition_variable all_done_;
  std::size_t done_ = 0;
  double done_weight_ = 0;
  Status kept_;                                 // the first run that was not
  std::map<std::string, std::string> digests_;  // of policies' files as they were first seen; "": cannot be read
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

RunsLine::RunsLine(std::size_t runs, bool quiet, std::chrono::seconds now_and_then)
    : runs_(runs), quiet_(quiet), redraws_(isatty(STDERR_FILENO) == 1), now_and_then_(now_and_then) {}

void RunsLine::clear() {
  if (std::exchange(is_shown_, false)) std::fputs("\r\033[K", stderr);
}

void RunsLine::show(double share, std::size_t done, const std::string& name) {
  const auto now = std::chrono::steady_clock::now();
  if (quiet_ || (!redraws_ && now - told_ < now_and_then_)) return;
  told_ = now;
  const double spent = std::chrono::duration<double>(now - begun_).count();
  const double left = share > 0.01 ? spent * (1 - share) / share : -1;
  const std::string line = runs_line(share, done, runs_, left, name);
  std::fputs((redraws_ ? "\r" + line + "\033[K" : line + "\n").c_str(), stderr);
  is_shown_ = redraws_;
}

Execute parallel_runs(std::uint32_t threads, std::string name, RunJournal* journal) {
  return [threads, name, journal](std::span<const PlannedRun> runs) { return Crew(runs, name, journal).work(threads); };
}

}  // namespace ontime::lab
