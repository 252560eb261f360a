#pragma once
// How busy a machine is, as it travels and as programs hold it.

#include <algorithm>
#include <cstdint>
#include <optional>

#include "common/base/machine_use.h"
#include "common/protocol/types.pb.h"

namespace ontime::protocol {

inline wire::MachineUse to_wire(const MachineUse& use) {
  wire::MachineUse told;
  told.set_cores(use.cores);
  told.set_busy_cores(use.busy_cores);
  told.set_memory_bytes(use.memory_bytes);
  told.set_used_bytes(use.used_bytes);
  return told;
}

// Nothing if no machine can be used so: what came from outside is shown to people and to their monitoring.
inline std::optional<MachineUse> machine_use(const wire::MachineUse& from) {
  constexpr std::uint32_t kCoresMax = 1u << 20;
  constexpr std::uint64_t kMemoryBytesMax = std::uint64_t{1} << 60;
  const bool has_cores = from.cores() > 0 && from.cores() <= kCoresMax;
  const bool has_busy_cores = from.busy_cores() >= 0 && from.busy_cores() <= kCoresMax;  // also of what is no number
  if (!has_cores || !has_busy_cores || std::max(from.memory_bytes(), from.used_bytes()) > kMemoryBytesMax)
    return std::nullopt;
  return MachineUse{from.busy_cores(), from.cores(), from.used_bytes(), from.memory_bytes()};
}

}  // namespace ontime::protocol
