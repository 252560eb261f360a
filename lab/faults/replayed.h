#pragma once
// Whether what the masters of a schedule have recorded leads to the same decisions again.

#include <string>

namespace ontime::lab::faults {

// The first difference in the recordings of this journal, in a sentence; empty: there is none. What a crash has damaged
// is left out. In a simulated process on the master's machine.
std::string replay_recordings(const std::string& journal);

}  // namespace ontime::lab::faults
