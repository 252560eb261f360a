#pragma once
// How much of what the load campaign puts on a master.

#include <cstdint>
#include <string>

#include "common/base/time.h"

namespace ontime::load {

struct Options {
  std::uint32_t workers = 1000;
  std::uint32_t slots = 4;             // of each
  std::uint32_t jobs = 10'000;         // that wait behind the large one, of one task each
  std::uint32_t tasks = 1'000'000;     // of the large one
  std::uint32_t finished = 1'000'000;  // of them that are done before the master is killed
  std::uint32_t clients = 500;
  std::uint32_t stuck = 20;  // of each kind of stuck peer
  Duration heartbeat = std::chrono::milliseconds(200);
  Duration length = std::chrono::seconds(20);        // of each measurement
  Duration attempt_time = std::chrono::seconds(20);  // of an attempt while is measured
  bool journal_sync = true;
  std::string programs = ONTIME_TEST_BIN;  // the directory of those that are measured
  std::string directory;  // for journal, outputs and logs; made if missing, emptied by the user who named it
};

}  // namespace ontime::load
