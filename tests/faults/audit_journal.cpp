// What the audit learns from the masters' journals and recordings.
#include "master/journal/journal.h"
#include "master/recording/block.h"
#include "master/recording/reader.h"
#include "master/recording/replayer.h"
#include "tests/faults/audit.h"
#include "tests/model/traces.h"

namespace ontime::lab::faults {
namespace {

class WatchedJournal final : public journal::Journal {
 public:
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

std::string replay(const std::string& path) {
  auto reader = recording::Reader::open(path);
  if (!reader) return "";
  recording::Replayer replayer;
  for (;;) {
    const auto entry = reader->next();
    if (!entry || !*entry || !replayer.feed(**entry)) break;
  }
  for (const recording::EpochReport& epoch : replayer.epochs()) {
    if (!epoch.harms.empty()) return epoch.harms.front();
    if (!epoch.difference) continue;
    return "step " + std::to_string(epoch.difference->step) + " of epoch " + std::to_string(epoch.epoch) +
           " is decided differently in a replay";
  }
  return "";
}

}  // namespace

std::unique_ptr<journal::Journal> watched(std::unique_ptr<journal::Journal> real, Audit& audit,
                                          std::function<void()> before, std::function<void()> after) {
  return std::make_unique<WatchedJournal>(std::move(real), audit, std::move(before), std::move(after));
}

std::string replay_recordings(const std::string& journal) {
  for (const auto& file : recording::list_epochs(recording::recordings_of(journal))) {
    if (std::string difference = replay(file.path); !difference.empty()) return difference;
    if (const model::Trace trace = model::check_recording(file.path); !trace.broken.empty()) return trace.broken;
  }
  return "";
}

}  // namespace ontime::lab::faults
