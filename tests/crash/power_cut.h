#pragma once
// What a power cut leaves of a directory, from the copies that disk_faults.cpp has made whenever something was synced.

#include <cstdint>
#include <string>

namespace ontime::test {

// REQUIRES: nobody has `disk` open. As `seed` has it, the names are those that were synced last or the present ones, in
// all directories alike, since file systems keep renames whole; of a file's content, each for itself, what was synced
// last, the present one, or that without a part of what came since. What was never synced is empty.
void cut_power(const std::string& disk, const std::string& shadow, std::uint64_t seed);

}  // namespace ontime::test
