#pragma once
// How an input is divided: the split size, and which small files share a task. Consecutive plain files that are smaller
// than a split form a group, which is one split (InputFile::parts). Pure.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/core/job_spec.h"

namespace ontime::scheduler {

// A launch names the files of its group, so these bound a message.
inline constexpr std::size_t kGroupFilesMax = 4096;
inline constexpr std::size_t kGroupTextMax = 256 << 10;  // bytes of their paths and versions

// What a user asked for.
struct Division {
  std::uint64_t split_bytes = 0;  // 0: `splits`, or else the job's
  std::uint32_t splits = 0;       // 0: not given
  bool groups = true;             // false: each file is at least one task
};

// Gives the job its inputs and its split size. With a split size or a number of splits, groups are filled up to a
// split. Otherwise small files share a task only as far as some hundred tasks are left (default_group_bytes).
void divide_input(JobSpec& spec, std::vector<InputFile> files, const Division& division);

// The smallest split size that makes at most `count` tasks of `files`, or as few as they can be.
std::uint64_t split_bytes_for(const std::vector<InputFile>& files, std::uint32_t count, bool groups);

// The files in their order, those that are smaller than `group_bytes` put together to groups of at most that size.
std::vector<InputFile> group_files(std::vector<InputFile> files, std::uint64_t group_bytes);

// What a group may have by default: a hundredth of a small input, 64 KiB, or a thousandth of a large one; at most a
// split.
std::uint64_t default_group_bytes(const std::vector<InputFile>& files, std::uint64_t split_bytes);

}  // namespace ontime::scheduler
