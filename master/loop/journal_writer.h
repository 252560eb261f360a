#pragma once
// The journal thread: writes one batch at a time, off the control thread. What arrives meanwhile is the control loop's
// to gather; that is the group commit. While the disk is full it tries the batch again and again. A journal that waits
// for no disk is written on the control thread, which spares two changes of threads for each batch.

#include <asio/any_io_executor.hpp>
#include <asio/thread_pool.hpp>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/base/time.h"
#include "master/journal/journal.h"

namespace ontime::master {

class JournalWriter {
 public:
  // `on_failure` is called on the control thread when a write has failed and must not return to normal work: what is
  // durable is not known any more.
  using OnFailure = std::function<void(const Error&)>;
  // Called on the control thread with a sentence when the disk is full, and with "" once the batch is durable.
  using OnFull = std::function<void(const std::string&)>;

  static constexpr Duration kFullPause = std::chrono::milliseconds(500);  // between two tries

  JournalWriter(journal::Journal& journal, asio::any_io_executor control, OnFailure on_failure, OnFull on_full);
  ~JournalWriter();  // waits for the write that is going on, but not for room

  // Calls `done` on the control thread when the batch is durable. REQUIRES: the batch before it is done; `batch` stays
  // where it is until then.
  void write(const std::vector<scheduler::JournalRecord>& batch, std::function<void()> done);

 private:
  void tell(Status status, std::function<void()> done);
  void await_room(const std::vector<scheduler::JournalRecord>& batch, Status full, std::function<void()> done);

  journal::Journal& journal_;
  const asio::any_io_executor control_;
  const OnFailure on_failure_;
  const OnFull on_full_;
  std::mutex mutex_;
  std::condition_variable end_;
  bool is_ending_ = false;  // guarded by mutex_
  asio::thread_pool thread_{1};
};

}  // namespace ontime::master
