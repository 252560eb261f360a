#pragma once
// Whether the scheduler answers the same when it is given the same again. Fed with the entries of a recording, the
// replayer runs a scheduler beside them and compares every record, in order and time, and the actions by their
// checksum. It also looks whether what was decided does harm.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "master/recording/entry.h"
#include "scheduler/core/harm.h"

namespace ontime::recording {

// The first thing in which an epoch differs. Of the records the one that is not there is empty; neither is: the
// actions differ.
struct Difference {
  std::uint64_t step = 0;  // counts from 0, the start
  TimePoint at;
  std::optional<scheduler::Event> event;  // none: the start
  std::optional<scheduler::JournalRecord> recorded;
  std::optional<scheduler::JournalRecord> replayed;
  std::uint32_t actions_recorded = 0;
  std::vector<scheduler::Action> actions_replayed;
};

struct EpochReport {
  Header header;
  std::uint64_t epoch = 0;  // 0: it did not even start
  std::uint64_t known = 0;  // records of the journal at its start
  std::uint64_t steps = 0;
  std::uint64_t records = 0;
  std::uint64_t decisions = 0;  // of policies, among the records
  std::uint64_t actions = 0;
  TimePoint last;                        // of its steps
  std::optional<End> end;                // none: a crash, or it goes on
  std::optional<Difference> difference;  // what comes after it was not replayed
  std::vector<std::string> harms;        // of its decisions; the first kHarmsKept
  std::uint64_t harms_found = 0;
};

class Replayer {
 public:
  // Sees every record that the scheduler gives again.
  using OnRecord = std::function<void(const scheduler::JournalRecord&)>;
  static constexpr std::size_t kHarmsKept = 20;
  explicit Replayer(OnRecord on_record = {}, scheduler::HarmBounds bounds = {});
  ~Replayer();

  // An error: the recording holds what no master records.
  Status feed(const Entry& entry);
  const std::vector<EpochReport>& epochs() const { return epochs_; }
  bool is_identical() const;
  bool does_no_harm() const;
  // Of the epoch that was fed last; null before the first.
  const scheduler::Scheduler* scheduler() const { return scheduler_.get(); }

 private:
  Status feed(const RecordedStep& step);
  Status compare(const RecordedStep& recorded, scheduler::Step& replayed);

  void look_for_harm();

  const OnRecord on_record_;
  const scheduler::HarmBounds bounds_;
  std::unique_ptr<scheduler::Scheduler> scheduler_;
  std::vector<EpochReport> epochs_;
};

}  // namespace ontime::recording
