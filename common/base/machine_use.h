#pragma once
// How busy what this process may use is (machine.h), by whatever uses it: its control group where that has a limit,
// else the machine.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "common/base/machine.h"

namespace ontime {

struct MachineUse {
  double busy_cores = 0;  // on average since the last look
  std::uint32_t cores = 1;
  std::uint64_t used_bytes = 0;  // of memory, without what the system takes back when it is wanted
  std::uint64_t memory_bytes = 0;
};

// Not for several threads at a time. Reads small files of the kernel, which do not wait for a disk.
class MachineMeter {
 public:
  using Clock = std::chrono::steady_clock;

  // `root` stands before /proc; groups lie where the share says.
  explicit MachineMeter(MachineShare share, std::string root = {}) : share_(std::move(share)), root_(std::move(root)) {}

  // Nothing at the first look, and where the system does not tell.
  std::optional<MachineUse> look(Clock::time_point now = Clock::now());

 private:
  std::optional<double> busy_seconds() const;  // so far
  std::optional<std::uint64_t> used_bytes() const;

  const MachineShare share_;
  const std::string root_;
  std::optional<double> busy_before_;
  Clock::time_point looked_at_;
};

}  // namespace ontime
