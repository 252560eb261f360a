#pragma once
// Bounds how much of the master's memory and of the journal the jobs that have not ended may take together, and how
// much of that memory those of one owner. Jobs on their way in count as well. Control thread only.

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "common/base/result.h"
#include "scheduler/core/cluster.h"
#include "scheduler/core/room.h"

namespace ontime::master {

class RoomForJobs {
 public:
  // What says whether a journal has room for so many bytes more (journal::Journal::has_room_for).
  using InJournal = std::function<Status(std::uint64_t bytes)>;
  // The jobs of one owner may take `owner_share` of each bound, more than 0 and at most 1.
  RoomForJobs(const scheduler::Cluster& cluster, double owner_share, InJournal in_journal = {})
      : cluster_(cluster), owner_share_(owner_share), in_journal_(std::move(in_journal)) {}

  // The room is given back when this is dropped, which is to happen as soon as the cluster has the job. May outlive
  // what it is reserved in.
  using Reservation = std::shared_ptr<const void>;
  // Failed, with a sentence that names the bound, if there is no room for one more such job.
  Result<Reservation> reserve(const scheduler::JobSpec& next);

 private:
  const scheduler::Cluster& cluster_;
  const double owner_share_;
  const InJournal in_journal_;
  struct Reserved {
    scheduler::RoomTaken room;
    std::uint64_t journal_bytes = 0;
  };
  const std::shared_ptr<Reserved> reserved_ = std::make_shared<Reserved>();
};

}  // namespace ontime::master
