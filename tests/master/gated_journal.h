#pragma once
// A journal in memory whose writes the test can hold back or let fail.

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "tests/support/memory_journal.h"

namespace ontime::test {

class GatedJournal : public journal::MemoryJournal {
 public:
  ~GatedJournal() override { open(); }

  void shut() {
    const std::lock_guard lock(mutex_);
    is_open_ = false;
  }
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }
  void fail_from_now_on(std::string why) {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(why);
  }
  // From now on there is no room; empty: there is again.
  void fill(std::string why) {
    const std::lock_guard lock(mutex_);
    full_ = std::move(why);
  }
  // Before the first write.
  void be_quick(bool is) { is_quick_ = is; }
  bool is_quick() const override { return is_quick_; }
  // A write has begun and is held back.
  bool is_waiting() const {
    const std::lock_guard lock(mutex_);
    return is_writing_ && !is_open_;
  }
  // The thread of the latest write.
  std::thread::id writer() const {
    const std::lock_guard lock(mutex_);
    return writer_;
  }
  int batches() const {
    const std::lock_guard lock(mutex_);
    return batches_;
  }

  Status append(std::span<const scheduler::JournalRecord> batch) override {
    std::unique_lock lock(mutex_);
    writer_ = std::this_thread::get_id();
    is_writing_ = true;
    changed_.wait(lock, [this] { return is_open_; });
    is_writing_ = false;
    ++batches_;
    if (!full_.empty()) return unavailable(full_);
    if (!failure_.empty()) return failed(failure_);
    return MemoryJournal::append(batch);
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_quick_ = false;
  bool is_open_ = true;
  bool is_writing_ = false;
  std::thread::id writer_;
  std::string failure_;
  std::string full_;
  int batches_ = 0;
};

}  // namespace ontime::test
