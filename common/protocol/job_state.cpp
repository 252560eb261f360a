#include "common/protocol/job_state.h"

#include <algorithm>

namespace ontime::protocol {

std::string name_of(wire::JobState state) {
  if (state == wire::JOB_STATE_NONE || !wire::JobState_IsValid(state)) return "unknown";
  std::string name = wire::JobState_Name(state);
  std::ranges::transform(name, name.begin(), [](char c) { return static_cast<char>(c - 'A' + 'a'); });
  return name;
}

std::vector<std::string> names_of_job_states() {
  std::vector<std::string> names;
  for (int state = wire::JOB_STATE_NONE + 1; state <= wire::JobState_MAX; ++state)
    names.push_back(name_of(static_cast<wire::JobState>(state)));
  return names;
}

bool has_ended(wire::JobState state) {
  return state == wire::SUCCEEDED || state == wire::FAILED || state == wire::KILLED;
}

}  // namespace ontime::protocol
