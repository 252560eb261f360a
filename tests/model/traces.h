#pragma once
// Real runs against the formal model: what a master has recorded is stepped through, and each fact has to be one that
// the model allows there and then.

#include <cstddef>
#include <string>

namespace ontime::model {

struct Trace {
  std::string broken;  // the first law that was broken, with the step; empty: none
  std::string unread;  // why what comes behind was not read; empty: all was
  std::size_t steps = 0;
  std::size_t facts = 0;
};

// One file of a recording.
Trace check_recording(const std::string& path);
// All recordings beside that journal.
// `unread` tells of the first that is.
Trace check_recordings_of(const std::string& journal);

}  // namespace ontime::model
