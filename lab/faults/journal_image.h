#pragma once
// The journal as bytes on a disk: batches one behind another, each with its length and a checksum, records as the real
// codec writes them. What is being written when the master dies is cut off at any byte; a new master reads the batches
// that are whole. Like the real journal it shows the records of the cluster first, of each place only the
// latest, then each job's.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "scheduler/core/record.h"

namespace ontime::lab::faults {

// What a journal holds, in the order in which it is replayed.
struct JournalContent {
  std::map<std::string, std::string> cluster;         // encoded records of no job, by their place in the journal
  std::map<JobId, std::vector<std::string>> records;  // encoded

  void apply(const scheduler::JournalRecord& record, std::string encoded);
};

class JournalImage {
 public:
  // These records, encoded, are on their way to the disk. One batch at a time.
  void begin(const std::vector<std::string>& batch);
  // They are whole and safe.
  void finish();
  // The write has ended early: so much of it, 0 to 1, has reached the disk.
  void tear(double share);

  // Reads the whole batches and removes what is behind them. False if a record cannot be read: no crash leaves that.
  bool recover(JournalContent& content);

  std::uint32_t batches() const { return batches_; }  // begun so far
  std::size_t bytes() const { return disk_.size(); }

 private:
  std::string disk_;
  std::string under_way_;
  std::uint32_t batches_ = 0;
};

}  // namespace ontime::lab::faults
