#include "tests/machines/world.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/base/check.h"
#include "tests/machines/process.h"

namespace ontime::lab::machines {
namespace {

Thread* running = nullptr;

}  // namespace

void WaitQueue::wake_all() {
  for (Thread* const thread : std::exchange(waiting_, {})) {
    std::erase(thread->queues_, this);
    thread->wake();
  }
}

Thread::Thread(World& world, Process& process, std::uint64_t number, std::function<void()> body)
    : world_(world), process_(process), number_(number), fiber_(std::move(body)) {}

Thread::~Thread() {
  leave_queues();
  ended_.wake_all();
}

void Thread::wait(std::span<WaitQueue* const> queues, TimePoint until) {
  ONTIME_CHECK(running == this, "a thread waits itself");
  for (WaitQueue* const queue : queues) {
    queue->waiting_.push_back(this);
    queues_.push_back(queue);
  }
  const std::uint64_t wait = ++waits_;
  if (until != kNever) {
    world_.at(until, [weak = weak_from_this(), wait] {
      const auto self = weak.lock();
      if (self && self->waits_ == wait) self->wake();
    });
  }
  is_ready_ = false;
  Fiber::give_way();
  ++waits_;
  leave_queues();
}

void Thread::wait(WaitQueue& queue, TimePoint until) {
  const std::array<WaitQueue*, 1> queues{&queue};
  wait(queues, until);
}

void Thread::sleep_until(TimePoint until) {
  while (world_.now() < until) wait({}, until);
}

void Thread::wake() {
  if (is_ready_ || has_ended()) return;
  is_ready_ = true;
  if (!process_.is_stopped()) world_.make_ready(*this);
}

void Thread::go_on() {
  if (is_ready_) world_.make_ready(*this);
}

void Thread::cancel() {
  is_cancelled_ = true;
  leave_queues();
  ended_.wake_all();
}

void Thread::leave_queues() {
  for (WaitQueue* const queue : queues_) std::erase(queue->waiting_, this);
  queues_.clear();
}

World::~World() = default;

Thread* World::here() { return running; }

World::Aside::Aside() : thread_(std::exchange(running, nullptr)) {}
World::Aside::~Aside() { running = thread_; }

void World::at(TimePoint when, std::function<void()> what) {
  const Aside aside;
  if (free_whats_.empty()) {
    free_whats_.push_back(static_cast<std::uint32_t>(whats_.size()));
    whats_.emplace_back();
  }
  const std::uint32_t place = free_whats_.back();
  free_whats_.pop_back();
  whats_[place] = std::move(what);
  upcoming_.push({std::max(when, now_), sequence_++, place});
}

void World::make_ready(Thread& thread) {
  if (std::exchange(thread.is_queued_, true)) return;
  ready_.push_back(thread.shared_from_this());
}

bool World::step() {
  ++steps_;
  if (!upcoming_.empty() && (ready_.empty() || upcoming_.top().at <= now_)) {
    const Upcoming next = upcoming_.top();
    upcoming_.pop();
    now_ = std::max(now_, next.at);
    const std::function<void()> what = std::exchange(whats_[next.what], {});
    free_whats_.push_back(next.what);
    what();
    return true;
  }
  if (ready_.empty()) return false;
  std::swap(ready_[random_.below(ready_.size())], ready_.back());
  const std::shared_ptr<Thread> thread = std::move(ready_.back());
  ready_.pop_back();
  thread->is_queued_ = false;
  if (thread->has_ended() || thread->process().is_stopped()) return true;
  running = thread.get();
  thread->fiber_.resume(thread->process().has_database);
  running = nullptr;
  if (!thread->is_cancelled_ && thread->has_ended()) thread->process().on_thread_ended(*thread);
  return true;
}

}  // namespace ontime::lab::machines
