#pragma once
// What attempts have written, and what they have found out about their files, until the master has been told. Bounded:
// what there is no room for from one refill to the next is lost. Pure states.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "common/base/ids.h"
#include "common/protocol/control.pb.h"
#include "common/protocol/runner.pb.h"

namespace ontime::worker {

// Bytes of an attempt's log, `begin` of which came before them.
struct LogPiece {
  std::uint64_t begin = 0;
  std::string bytes;
};

// Attempts that write more than there is room for lose the oldest of it, which the offsets show.
class LogOutbox {
 public:
  static constexpr std::size_t kRoomBytes = 1u << 20;  // from one refill to the next

  void add(AttemptId attempt, LogPiece piece);
  bool is_empty() const { return waiting_.logs_size() == 0; }
  wire::ToMaster::Logs take();
  void refill() { room_ = kRoomBytes - std::min(kRoomBytes, waiting_bytes_); }

 private:
  wire::ToMaster::Logs waiting_;
  std::size_t waiting_bytes_ = 0;
  std::size_t room_ = kRoomBytes;
};

class NoteOutbox {
 public:
  static constexpr std::size_t kRoomBytes = 4u << 20;  // from one refill to the next
  static constexpr std::size_t kNoteBytes = 64;        // of one without a window, at most

  void add(const wire::Attempt& attempt, const wire::FromRunner::Noted& noted);
  bool is_empty() const { return waiting_.notes_size() == 0; }
  wire::ToMaster::Notes take() { return std::exchange(waiting_, {}); }
  // REQUIRES: what was added was taken.
  void refill() { room_ = kRoomBytes; }

 private:
  wire::ToMaster::Notes waiting_;
  std::size_t room_ = kRoomBytes;
};

}  // namespace ontime::worker
