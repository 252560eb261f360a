#include "master/recording/replayer.h"

#include <algorithm>
#include <utility>

#include "master/recording/entry.h"

namespace ontime::recording {

Replayer::Replayer(OnRecord on_record, scheduler::HarmBounds bounds)
    : on_record_(std::move(on_record)), bounds_(bounds) {}
Replayer::~Replayer() = default;

bool Replayer::is_identical() const {
  return std::none_of(epochs_.begin(), epochs_.end(), [](const EpochReport& e) { return e.difference.has_value(); });
}

bool Replayer::does_no_harm() const {
  return std::all_of(epochs_.begin(), epochs_.end(), [](const EpochReport& e) { return e.harms_found == 0; });
}

void Replayer::look_for_harm() {
  EpochReport& epoch = epochs_.back();
  for (std::string& harm : scheduler::harms(scheduler_->cluster(), bounds_)) {
    ++epoch.harms_found;
    if (epoch.harms.size() < kHarmsKept) epoch.harms.push_back(std::move(harm));
  }
}

Status Replayer::feed(const Entry& entry) {
  if (const auto* header = std::get_if<Header>(&entry)) {
    scheduler_ = std::make_unique<scheduler::Scheduler>(header->settings);
    epochs_.emplace_back();
    epochs_.back().header = *header;
    epochs_.back().last = header->started_at;
    return {};
  }
  if (epochs_.empty()) return failed("the recording has no header");
  EpochReport& epoch = epochs_.back();
  if (const auto* known = std::get_if<scheduler::JournalRecord>(&entry)) {
    if (epoch.steps != 0) return failed("the recording holds a record of the journal behind the master's start");
    scheduler_->replay(*known);
    ++epoch.known;
  } else if (const auto* step = std::get_if<RecordedStep>(&entry)) {
    return feed(*step);
  } else {
    epoch.end = std::get<End>(entry);
  }
  return {};
}

Status Replayer::feed(const RecordedStep& step) {
  EpochReport& epoch = epochs_.back();
  if (epoch.difference) return {};
  if (step.event.has_value() == (epoch.steps == 0)) return failed("a master starts once, and first");
  scheduler::Step replayed = step.event ? scheduler_->step(*step.event, step.at) : scheduler_->start(step.at);
  epoch.epoch = scheduler_->cluster().epoch();
  look_for_harm();
  if (Status status = compare(step, replayed); !status) return status;
  epoch.last = step.at;
  ++epoch.steps;
  epoch.records += replayed.records.size();
  epoch.actions += replayed.actions.size();
  for (const scheduler::JournalRecord& record : replayed.records) {
    epoch.decisions += std::holds_alternative<scheduler::fact::PolicyDecided>(record.fact) ? 1 : 0;
    if (on_record_) on_record_(record);
  }
  return {};
}

Status Replayer::compare(const RecordedStep& recorded, scheduler::Step& replayed) {
  EpochReport& epoch = epochs_.back();
  Difference difference{epoch.steps, recorded.at, recorded.event, {}, {}, recorded.actions, {}};
  const std::size_t most = std::max(recorded.records.size(), replayed.records.size());
  for (std::size_t i = 0; i < most; ++i) {
    const bool are_both = i < recorded.records.size() && i < replayed.records.size();
    if (are_both && recorded.records[i] == encode_step_record(replayed.records[i])) continue;
    if (i < recorded.records.size()) {
      Result<scheduler::JournalRecord> record = decode_step_record(recorded.records[i]);
      if (!record) return record.error();
      difference.recorded = std::move(*record);
    }
    if (i < replayed.records.size()) difference.replayed = replayed.records[i];
    epoch.difference = std::move(difference);
    return {};
  }
  const std::uint32_t checksum = replayed.actions.empty() ? 0 : checksum_of(replayed.actions);
  if (recorded.actions != replayed.actions.size() || recorded.action_checksum != checksum) {
    difference.actions_replayed = std::move(replayed.actions);
    epoch.difference = std::move(difference);
  }
  return {};
}

}  // namespace ontime::recording
