#include "master/journal_writer.h"

#include <asio/post.hpp>
#include <utility>

namespace ontime::master {

JournalWriter::JournalWriter(journal::Journal& journal, asio::any_io_executor control, OnFailure on_failure)
    : journal_(journal), control_(std::move(control)), on_failure_(std::move(on_failure)) {}

JournalWriter::~JournalWriter() { thread_.join(); }

void JournalWriter::write(const std::vector<scheduler::Record>& batch, std::function<void()> done) {
  asio::post(thread_, [this, &batch, done = std::move(done)]() mutable {
    Status status = journal_.append(batch);
    asio::post(control_, [this, status = std::move(status), done = std::move(done)] {
      if (!status) {
        on_failure_(status.error());
      } else {
        done();
      }
    });
  });
}

}  // namespace ontime::master
