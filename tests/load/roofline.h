#pragma once
// What is full while a master works as fast as it can: the thread that owns the scheduler, its disk, or the machine.

#include <cstdint>
#include <string>

namespace ontime::load {

// Running totals; what lies between two looks is the difference.
struct Work {
  double wall = 0;            // seconds
  double control_cpu = 0;     // of the master's first thread, seconds
  double master_cpu = 0;      // of all its threads
  double own_cpu = 0;         // of this program, which plays workers and clients
  double machine_cpu = 0;     // of all processes
  double journal_busy = 0;    // seconds in which a batch was on its way to the disk
  std::uint64_t batches = 0;  // each is one sync
  std::uint64_t journal_bytes = 0;
  friend Work operator-(Work after, const Work& before);
};
// Of the master with that process number; the fields of the journal are the caller's to fill in.
Work work_until_now(int master);

// How often a second a file there can be appended to by so many bytes and synced, by one who does nothing else.
double syncs_per_second(const std::string& directory, std::uint64_t bytes);

// A few lines: what each task took, what share of each resource was used, and which is nearest to full.
std::string roofline_text(const Work& work, std::uint64_t tasks, double syncs_possible, unsigned cores);

}  // namespace ontime::load
