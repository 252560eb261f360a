#pragma once
// The journal thread: writes one batch at a time, off the control thread. What arrives meanwhile is the control loop's
// to gather; that is the group commit.

#include <asio/any_io_executor.hpp>
#include <asio/thread_pool.hpp>
#include <functional>
#include <vector>

#include "common/base/result.h"
#include "master/journal/journal.h"

namespace ontime::master {

class JournalWriter {
 public:
  // `on_failure` is called on the control thread when a write has failed and must not return to normal work: what is
  // durable is not known any more.
  using OnFailure = std::function<void(const Error&)>;

  JournalWriter(journal::Journal& journal, asio::any_io_executor control, OnFailure on_failure);
  ~JournalWriter();  // waits for the write that is going on

  // Calls `done` on the control thread when the batch is durable. REQUIRES: the batch before it is done; `batch` stays
  // where it is until then.
  void write(const std::vector<scheduler::Record>& batch, std::function<void()> done);

 private:
  journal::Journal& journal_;
  const asio::any_io_executor control_;
  const OnFailure on_failure_;
  asio::thread_pool thread_{1};
};

}  // namespace ontime::master
