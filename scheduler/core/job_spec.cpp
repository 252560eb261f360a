#include "scheduler/core/job_spec.h"

#include <algorithm>

namespace ontime::scheduler {
namespace {

std::uint64_t divided_up(std::uint64_t size, std::uint64_t by) { return size / by + (size % by != 0 ? 1 : 0); }

std::uint64_t splits_of(const InputFile& file, std::uint64_t split_bytes) {
  return file.codec == Codec::Plain ? divided_up(file.size, split_bytes) : 1;
}

}  // namespace

std::uint64_t count_splits(const JobSpec& spec) {
  std::uint64_t count = 0;
  for (const InputFile& file : spec.inputs) count += splits_of(file, spec.split_bytes);
  return count;
}

std::vector<Split> make_splits(const JobSpec& spec) {
  std::vector<Split> splits;
  splits.reserve(count_splits(spec));
  for (std::uint32_t index = 0; index < spec.inputs.size(); ++index) {
    const InputFile& file = spec.inputs[index];
    if (file.codec != Codec::Plain) {
      splits.push_back({index, {0, kUnknownEnd}});
      continue;
    }
    for (std::uint64_t begin = 0; begin < file.size;) {
      const std::uint64_t end = begin + std::min(spec.split_bytes, file.size - begin);
      splits.push_back({index, {begin, end}});
      begin = end;
    }
  }
  return splits;
}

std::uint64_t split_bytes_for(const std::vector<InputFile>& inputs, std::uint32_t count) {
  std::uint64_t plain_bytes = 0;
  std::uint64_t largest = 1;
  for (const InputFile& file : inputs) {
    if (file.codec != Codec::Plain) continue;
    plain_bytes += file.size;
    largest = std::max(largest, file.size);
  }
  if (count == 0) return largest;
  return std::clamp<std::uint64_t>(divided_up(plain_bytes, count), 1, largest);
}

}  // namespace ontime::scheduler
