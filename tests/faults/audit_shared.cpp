// What the audit learns of a journal that several masters share.
#include "master/journal/journal.h"
#include "master/journal/record_store.h"
#include "tests/faults/audit.h"

namespace ontime::lab::faults {
namespace {

class WatchedShare final : public journal::Journal {
 public:
  WatchedShare(std::unique_ptr<journal::Journal> real, Audit& audit, SharedWatch watch)
      : real_(std::move(real)), audit_(audit), watch_(std::move(watch)) {}

  const std::string& cluster() const override { return real_->cluster(); }
  Status has_room_for(std::uint64_t bytes) const override { return real_->has_room_for(bytes); }

  Status append(std::span<const scheduler::JournalRecord> batch) override {
    latest_ = journal::encode_batch(batch);
    audit_.on_announced(watch_.life, latest_, batch);
    watch_.before();
    return told(real_->append(batch));
  }
  Status append_again(std::span<const scheduler::JournalRecord> batch) override {
    return told(real_->append_again(batch));
  }
  Status set_back(TimePoint latest) override {
    latest_ = journal::encode_set_back(latest);
    audit_.on_announced(watch_.life, latest_, {});
    return told(real_->set_back(latest));
  }
  // Who stood still between coming to lead and this may read what is past, and will learn so before it acts.
  Status read_all(const std::function<void(const scheduler::JournalRecord&)>& visit) override {
    std::vector<scheduler::JournalRecord> records;
    const Status status = real_->read_all([&](const scheduler::JournalRecord& record) {
      records.push_back(record);
      visit(record);
    });
    if (!status || !watch_.leads()) return status;
    audit_.on_leading(watch_.life);
    audit_.on_recovered(records);
    return status;
  }

 private:
  Status told(Status status) {
    if (!status) return status;
    audit_.on_told_durable(latest_);
    watch_.after();
    return status;
  }

  const std::unique_ptr<journal::Journal> real_;
  Audit& audit_;
  const SharedWatch watch_;
  std::string latest_;
};

}  // namespace

void Audit::on_announced(std::uint32_t life, std::string bytes, std::span<const scheduler::JournalRecord> batch) {
  announced_[std::move(bytes)] = {life, {batch.begin(), batch.end()}};
}

void Audit::on_accepted(const std::string& bytes) {
  const auto found = announced_.find(bytes);
  if (found == announced_.end()) return complain("the journal has a batch that no master has appended");
  require(found->second.life == leading_, "a master that leads no more writes nothing");
  if (found->second.records.empty()) on_set_back();
  on_batch(found->second.records);
  on_durable();
  announced_.erase(found);
  accepted_.insert(bytes);
}

void Audit::on_told_durable(const std::string& bytes) {
  require(accepted_.contains(bytes), "what a master takes for durable is in the journal");
}

std::unique_ptr<journal::Journal> watched_shared(std::unique_ptr<journal::Journal> real, Audit& audit,
                                                 SharedWatch watch) {
  return std::make_unique<WatchedShare>(std::move(real), audit, std::move(watch));
}

}  // namespace ontime::lab::faults
