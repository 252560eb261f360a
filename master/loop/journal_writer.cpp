#include "master/loop/journal_writer.h"

#include <asio/post.hpp>
#include <utility>

namespace ontime::master {
namespace {

bool is_full(const Status& status) { return !status && status.error().kind == ErrorKind::Unavailable; }

}  // namespace

JournalWriter::JournalWriter(journal::Journal& journal, asio::any_io_executor control, OnFailure on_failure,
                             OnFull on_full)
    : journal_(journal),
      control_(std::move(control)),
      on_failure_(std::move(on_failure)),
      on_full_(std::move(on_full)) {}

JournalWriter::~JournalWriter() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  end_.notify_all();
  thread_.join();
}

void JournalWriter::write(const std::vector<scheduler::JournalRecord>& batch, std::function<void()> done) {
  auto append = [this, &batch, done = std::move(done)] {
    Status status = journal_.append(batch);
    if (!is_full(status)) return tell(std::move(status), done);
    asio::post(thread_, [this, &batch, status = std::move(status), done] { await_room(batch, status, done); });
  };
  if (journal_.is_quick()) return append();
  asio::post(thread_, std::move(append));
}

void JournalWriter::tell(Status status, std::function<void()> done) {
  asio::post(control_, [this, status = std::move(status), done = std::move(done)] {
    if (!status) {
      on_failure_(status.error());
    } else {
      done();
    }
  });
}

void JournalWriter::await_room(const std::vector<scheduler::JournalRecord>& batch, Status status,
                               std::function<void()> done) {
  asio::post(control_, [this, why = status.error().message] { on_full_(why); });
  std::unique_lock lock(mutex_);
  while (is_full(status)) {
    // The master ends; as after a kill, nobody was told.
    if (end_.wait_for(lock, kFullPause, [this] { return is_ending_; })) return;
    status = journal_.append_again(batch);
  }
  asio::post(control_, [this] { on_full_(""); });
  tell(std::move(status), std::move(done));
}

}  // namespace ontime::master
