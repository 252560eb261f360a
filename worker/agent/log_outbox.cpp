#include "worker/agent/log_outbox.h"

#include <utility>

#include "worker/agent/wire_ids.h"

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
  *log.mutable_attempt() = to_wire(attempt);
  log.set_begin(piece.begin);
  log.set_text(std::move(piece.bytes));
}

wire::ToMaster::Logs LogOutbox::take() {
  waiting_bytes_ = 0;
  return std::exchange(waiting_, {});
}

}  // namespace ontime::worker
