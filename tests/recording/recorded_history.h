#pragma once
// A scheduler with two ideal nodes and a few jobs, recorded as a master records it.

#include <cstdint>
#include <string>
#include <vector>

#include "master/recording/recorder.h"
#include "scheduler/core/scheduler.h"

namespace ontime::recording::test {

class RecordedHistory {
 public:
  // `known`: what the journal held; replayed before the start.
  RecordedHistory(Recorder::Options options, std::uint64_t epoch,
                  const std::vector<scheduler::JournalRecord>& known = {});

  // One job of so many tasks from its submission to its end, with heartbeats; its records.
  void run_job(std::uint32_t tasks);
  void step(const scheduler::Event& event);

  const std::vector<scheduler::JournalRecord>& records() const { return records_; }
  std::uint64_t steps() const { return steps_; }
  // Ends the recording in order.
  void end() { recorder_.reset(); }

 private:
  void keep(const scheduler::Event* event, scheduler::Step step);

  scheduler::Scheduler scheduler_{scheduler::Settings{}};
  std::unique_ptr<Recorder> recorder_;
  std::vector<scheduler::JournalRecord> records_;
  std::vector<scheduler::action::LaunchAttempt> launches_;
  std::vector<JobId> commits_;
  TimePoint now_;
  std::uint64_t steps_ = 0;
  std::uint64_t requests_ = 0;
};

// All that one file holds. `error` is empty if it could be read to its end.
struct Contents {
  std::vector<Entry> entries;
  std::uint64_t torn_bytes = 0;
  std::string error;
};
Contents read_all(const std::string& path);

}  // namespace ontime::recording::test
