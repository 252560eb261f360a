#include "worker/runner/run_context.h"

#include <algorithm>
#include <stdexcept>

#include "common/protocol/bounds.h"

namespace ontime::worker {

std::uint64_t& RunContext::counter(std::string_view group, std::string_view name) {
  if (std::max(group.size(), name.size()) > protocol::kCounterNameBytesMax) {
    throw std::length_error("the name of a counter has more than " + std::to_string(protocol::kCounterNameBytesMax) +
                            " bytes");
  }
  const auto key = std::make_pair(std::string(group), std::string(name));
  if (!counters_.contains(key) && counters_.size() == protocol::kCountersMax) {
    throw std::length_error("there are more than " + std::to_string(protocol::kCountersMax) + " counters");
  }
  return counters_[key].value;
}

void RunContext::set_status(std::string_view text) {
  if (status_listener_) status_listener_(std::string(text.substr(0, kStatusBytesMax)));
}

void RunContext::set_taken(std::uint64_t offset) {
  if (taken_listener_) taken_listener_(offset);
}

bool RunContext::is_released(std::uint64_t offset) { return asked_listener_ && asked_listener_(offset); }

std::vector<CounterDelta> RunContext::take_counters() {
  std::vector<CounterDelta> deltas;
  for (auto& [key, cell] : counters_) {
    if (cell.value == cell.reported) continue;
    deltas.push_back({key.first, key.second, cell.value - cell.reported});
    cell.reported = cell.value;
  }
  return deltas;
}

}  // namespace ontime::worker
