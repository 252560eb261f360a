#include "worker/agent/session/outboxes.h"

#include <utility>

#include "common/base/byte_range.h"
#include "common/protocol/convert.h"

namespace ontime::worker {

void LogOutbox::add(AttemptId attempt, LogPiece piece) {
  if (piece.bytes.size() > room_) {
    const std::size_t lost = piece.bytes.size() - room_;
    piece.begin += lost;
    piece.bytes.erase(0, lost);
  }
  if (piece.bytes.empty()) return;
  room_ -= piece.bytes.size();
  waiting_bytes_ += piece.bytes.size();
  wire::AttemptLog& log = *waiting_.add_logs();
  *log.mutable_attempt() = protocol::to_wire(attempt);
  log.set_begin(piece.begin);
  log.set_text(std::move(piece.bytes));
}

wire::ToMaster::Logs LogOutbox::take() {
  waiting_bytes_ = 0;
  return std::exchange(waiting_, {});
}

void NoteOutbox::add(const wire::Attempt& attempt, const wire::FromRunner::Noted& noted) {
  const std::size_t bytes = kNoteBytes + noted.point().window().size();
  if (bytes > room_ || noted.point().window().size() > kPackedWindowBytesMax) return;
  room_ -= bytes;
  wire::InputNote& note = *waiting_.add_notes();
  *note.mutable_attempt() = attempt;
  if (noted.has_point()) *note.mutable_point() = noted.point();
  note.set_content_bytes(noted.content_bytes());
}

}  // namespace ontime::worker
