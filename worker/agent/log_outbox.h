#pragma once
// What attempts have written and the master is to hear of. Bounded: attempts that write more between two refills than
// there is room for lose the oldest of it, which the offsets show. A pure state.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "common/base/ids.h"
#include "common/protocol/control.pb.h"

namespace ontime::worker {

// Bytes of an attempt's log, `begin` of which came before them.
struct LogPiece {
  std::uint64_t begin = 0;
  std::string bytes;
};

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

}  // namespace ontime::worker
