#pragma once
// What happened to this worker's attempts and the master has not confirmed yet. Reports are numbered in order from 1
// and kept until they are acknowledged, across connections.
//
// Memory: an attempt makes one report when it is ready, one when it starts, two per cut and one at its end, each of at
// most kRunnerFrameBytesMax; without a master no cut and no launch arrives, so what the slots hold is the bound. With a
// master that does not acknowledge, launches are refused from kFullBytes on (see Slots).

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>

#include "common/base/result.h"
#include "common/protocol/control.pb.h"

namespace ontime::worker {

class ReportLog {
 public:
  static constexpr std::size_t kFullBytes = 16u << 20;
  static constexpr std::size_t kBatchBytes = 1u << 20;

  // Gives it the next number, keeps it, and calls the listener.
  void append(wire::Report report);

  // Drops everything up to `sequence`. BadInput for a number that was never given.
  Status acknowledge(std::uint64_t sequence);

  // In order; front() is the oldest.
  const std::deque<wire::Report>& unacknowledged() const { return reports_; }

  // A new session: everything kept is to be sent again.
  void rewind() { sent_ = acknowledged(); }
  bool has_unsent() const { return sent_ < last_; }
  // The next reports that were not sent in this session, at least one and else at most `bytes_max`; they count as sent.
  wire::ToMaster::Reports take_unsent(std::size_t bytes_max = kBatchBytes);

  std::uint64_t last() const { return last_; }  // number of the newest; 0: none yet
  std::size_t bytes() const { return bytes_; }
  bool is_full() const { return bytes_ >= kFullBytes; }

  // Called after every append; one listener.
  void set_listener(std::function<void()> listener) { listener_ = std::move(listener); }

 private:
  std::uint64_t acknowledged() const { return last_ - reports_.size(); }

  std::deque<wire::Report> reports_;
  std::size_t bytes_ = 0;  // serialized, of all kept
  std::uint64_t last_ = 0;
  std::uint64_t sent_ = 0;  // number of the newest that went out in this session
  std::function<void()> listener_;
};

}  // namespace ontime::worker
