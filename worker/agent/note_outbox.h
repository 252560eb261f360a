#pragma once
// What attempts have found out about their compressed files and the master is to hear of. Bounded: what there is no
// room for is lost. A pure state.

#include <cstddef>
#include <utility>

#include "common/base/access_point.h"
#include "common/protocol/control.pb.h"
#include "common/protocol/runner.pb.h"

namespace ontime::worker {

class NoteOutbox {
 public:
  static constexpr std::size_t kRoomBytes = 4u << 20;  // from one refill to the next
  static constexpr std::size_t kNoteBytes = 64;        // of one without a window, at most

  void add(const wire::Attempt& attempt, const wire::FromRunner::Noted& noted) {
    const std::size_t bytes = kNoteBytes + noted.point().window().size();
    if (bytes > room_ || noted.point().window().size() > kPackedWindowBytesMax) return;
    room_ -= bytes;
    wire::InputNote& note = *waiting_.add_notes();
    *note.mutable_attempt() = attempt;
    if (noted.has_point()) *note.mutable_point() = noted.point();
    note.set_content_bytes(noted.content_bytes());
  }
  bool is_empty() const { return waiting_.notes_size() == 0; }
  wire::ToMaster::Notes take() { return std::exchange(waiting_, {}); }
  // REQUIRES: what was added was taken.
  void refill() { room_ = kRoomBytes; }

 private:
  wire::ToMaster::Notes waiting_;
  std::size_t room_ = kRoomBytes;
};

}  // namespace ontime::worker
