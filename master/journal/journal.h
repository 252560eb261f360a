#pragma once
// Where the master keeps its durable facts. RocksdbJournal has them on disk.
//
// The records of one job lie together, in the order in which they were appended. Of what belongs to no job only the
// latest is kept: the epoch, each node with its duty, the profile of one application. A batch is stored whole or not at
// all, and batches are stored in order: what a crash leaves is always a prefix. Used by one thread at a time: by the
// control thread until the master runs, then by the journal thread, or by either of them if it is quick.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "scheduler/core/record.h"

namespace ontime::journal {

// Grows when an older master could misread what a newer one has written; a newer journal is refused.
inline constexpr std::uint32_t kJournalFormat = 9;

class Journal {
 public:
  virtual ~Journal() = default;

  // Random, made with the journal: workers and masters of different journals must not be mixed.
  virtual const std::string& cluster() const = 0;

  // Stores the batch; once it has returned (and the journal syncs), neither a crash nor a power cut can undo it. A
  // JobForgotten removes all records of its job, itself included, in the same batch; so do NodeForgotten and
  // ProfileForgotten. After an error what of the batch
  // is stored is unknown. Unavailable: the disk is full, and append_again() may be called; after any other the journal
  // is of no more use.
  virtual Status append(std::span<const scheduler::JournalRecord> batch) = 0;

  // Failed, with one sentence, if so many bytes more of records would not fit for good. Any thread.
  virtual Status has_room_for(std::uint64_t bytes) const {
    static_cast<void>(bytes);
    return {};
  }

  // append() waits for no disk, unless the disk is full or the system has no memory to spare.
  virtual bool is_quick() const { return false; }

  // The same batch again, after an Unavailable: finds out whether it is stored, and stores it if not.
  virtual Status append_again(std::span<const scheduler::JournalRecord> batch) { return append(batch); }

  // Stores every record that is later than `latest` again, as of then; their order stays. Before the first append().
  virtual Status set_back(TimePoint latest) = 0;

  // Visits every record: those of the cluster (epoch, nodes, profiles), then each job's, by job. Stops at a record that
  // cannot be read; the error names the file or directory and the reason.
  virtual Status read_all(const std::function<void(const scheduler::JournalRecord&)>& visit) = 0;
  // The same, with the message that each was read from (records.proto); empty where it is not at hand.
  using VisitWithMessage = std::function<void(const scheduler::JournalRecord&, std::string_view message)>;
  virtual Status read_with_messages(const VisitWithMessage& visit) {
    return read_all([&visit](const scheduler::JournalRecord& record) { visit(record, {}); });
  }
};

}  // namespace ontime::journal
