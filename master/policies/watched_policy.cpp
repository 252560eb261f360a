#include "master/policies/watched_policy.h"

#include <fcntl.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fstream>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "common/base/descriptor.h"
#include "common/base/units.h"
#include "common/files/disk.h"
#include "master/policies/policy_process.h"

namespace ontime::master {
namespace {

constexpr std::int64_t kTicksLeast = 10;
constexpr std::int64_t kTicksWithoutBudget = 60;

std::atomic<End> ending{nullptr};
std::atomic<Duration> tick_length{std::chrono::seconds(1)};

std::string notes_path;
std::set<std::string> hung;  // identities

bool note(const std::string& identity) {
  if (notes_path.empty()) return false;
  const Descriptor file = files::open(notes_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  return file && files::append(file.get(), identity + "\n") == 0;
}

// The calls of one policy, one after the other.
class Calls {
 public:
  Calls(std::string file, Duration budget);
  ~Calls();
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  // From the watch's thread alone.
  void tick() {
    const std::uint64_t changes = changes_.load(std::memory_order_relaxed);
    const bool goes_on = changes % 2 == 1 && changes == seen_;
    ticks_ = goes_on ? ticks_ + 1 : 0;
    seen_ = changes;
    if (ticks_ < most_) return;
    const bool is_noted = note(identity_);
    ending.load()("The policy " + file_ + " has not answered for " + format_duration(most_ * tick_length.load()) +
                      ", and this program ends: it cannot go on without the answer. Mend the policy, or give it a "
                      "larger budget.",
                  is_noted);
  }

 private:
  friend class Call;
  const std::string file_;
  const std::string identity_;
  const std::int64_t most_;
  mutable std::atomic<std::uint64_t> changes_{0};  // odd: one goes on
  std::uint64_t seen_ = 0;
  std::int64_t ticks_ = 0;
};

class Call {
 public:
  explicit Call(const Calls& calls) : calls_(calls) { calls_.changes_.fetch_add(1, std::memory_order_relaxed); }
  ~Call() { calls_.changes_.fetch_add(1, std::memory_order_relaxed); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  const Calls& calls_;
};

// Of all policies. Never destroyed: its thread runs until the process ends.
class Watch {
 public:
  static Watch& all() {
    static Watch& watch = *new Watch;
    return watch;
  }
  void add(Calls& calls) {
    const std::lock_guard lock(mutex_);
    watched_.insert(&calls);
  }
  void remove(Calls& calls) {
    const std::lock_guard lock(mutex_);
    watched_.erase(&calls);
  }

 private:
  Watch() {
    sigset_t all{};
    sigset_t before{};
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the other threads
    std::thread([this] {
      while (true) {
        std::this_thread::sleep_for(tick_length.load());
        const std::lock_guard lock(mutex_);
        for (Calls* calls : watched_) calls->tick();
      }
    }).detach();
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  std::mutex mutex_;
  std::set<Calls*> watched_;
};

Calls::Calls(std::string file, Duration budget)
    : file_(std::move(file)),
      identity_(identity_of(file_)),
      most_(budget > Duration::zero() ? std::max(kTicksLeast, 10 * budget / tick_length.load()) : kTicksWithoutBudget) {
  if (ending.load() != nullptr) Watch::all().add(*this);
}

Calls::~Calls() {
  if (ending.load() != nullptr) Watch::all().remove(*this);
}

class Watched final : public scheduler::Policy {
 public:
  Watched(std::string file, Duration budget, const std::function<std::unique_ptr<scheduler::Policy>()>& make)
      : calls_(std::move(file), budget) {
    const Call call(calls_);
    policy_ = make();
  }
  ~Watched() override {
    const Call call(calls_);
    policy_.reset();
  }

  scheduler::JobOrder order() const override {
    const Call call(calls_);
    return policy_->order();
  }
  bool has_shares() const override {
    const Call call(calls_);
    return policy_->has_shares();
  }
  std::uint32_t share(JobId job) const override {
    const Call call(calls_);
    return policy_->share(job);
  }
  bool plans_at_submission() const override {
    const Call call(calls_);
    return policy_->plans_at_submission();
  }
  scheduler::Plan plan(const scheduler::View& view) override {
    const Call call(calls_);
    return policy_->plan(view);
  }

  bool is_empty() const { return policy_ == nullptr; }

 private:
  Calls calls_;
  std::unique_ptr<scheduler::Policy> policy_;
};

}  // namespace

void end_at_hanging_policies(End end, Duration tick) {
  tick_length = tick;
  ending = end;
}

void note_hanging_policies_in(std::string path) {
  std::ifstream notes(path);
  for (std::string line; std::getline(notes, line);) hung.insert(line);
  notes_path = std::move(path);
}

bool has_hung(const std::string& file) { return hung.contains(identity_of(file)); }

std::unique_ptr<scheduler::Policy> watched(std::string file, Duration budget,
                                           const std::function<std::unique_ptr<scheduler::Policy>()>& make) {
  auto policy = std::make_unique<Watched>(std::move(file), budget, make);
  return policy->is_empty() ? nullptr : std::move(policy);
}

}  // namespace ontime::master
