#pragma once
// The master's journal, watched: everything that it is given and that it gives back goes to the audit.

#include <functional>
#include <memory>

#include "lab/faults/audit.h"
#include "master/journal/journal.h"

namespace ontime::lab::faults {

class WatchedJournal final : public journal::Journal {
 public:
  // `before` is called before a batch is written, `after` when it is durable.
  WatchedJournal(std::unique_ptr<journal::Journal> real, Audit& audit, std::function<void()> before,
                 std::function<void()> after)
      : real_(std::move(real)), audit_(audit), before_(std::move(before)), after_(std::move(after)) {}

  const std::string& cluster() const override { return real_->cluster(); }

  Status append(std::span<const scheduler::JournalRecord> batch) override {
    audit_.on_batch(batch);
    before_();
    return done(real_->append(batch));
  }
  Status append_again(std::span<const scheduler::JournalRecord> batch) override {
    return done(real_->append_again(batch));
  }
  Status set_back(TimePoint latest) override {
    audit_.on_set_back();
    return real_->set_back(latest);
  }
  Status read_all(const std::function<void(const scheduler::JournalRecord&)>& visit) override {
    std::vector<scheduler::JournalRecord> records;
    Status status = real_->read_all([&](const scheduler::JournalRecord& record) {
      records.push_back(record);
      visit(record);
    });
    if (status) audit_.on_recovered(records);
    return status;
  }

 private:
  Status done(Status status) {
    if (status) {
      audit_.on_durable();
      after_();
    }
    return status;
  }

  const std::unique_ptr<journal::Journal> real_;
  Audit& audit_;
  const std::function<void()> before_;
  const std::function<void()> after_;
};

}  // namespace ontime::lab::faults
