#include "scheduler/core/job_spec.h"

#include <algorithm>
#include <sstream>

namespace ontime::scheduler {
namespace {

constexpr std::uint64_t kTailShare = 10;  // a rest below a tenth of a split is no task of its own

std::uint64_t divided_up(std::uint64_t size, std::uint64_t by) { return size / by + (size % by != 0 ? 1 : 0); }

std::uint64_t splits_of(const InputFile& file, std::uint64_t split_bytes) {
  if (!file.is_divisible()) return 1;
  const std::uint64_t length = file.length();
  const bool joins_tail = length >= split_bytes && length % split_bytes < divided_up(split_bytes, kTailShare);
  return joins_tail ? length / split_bytes : divided_up(length, split_bytes);
}

std::uint64_t count_splits(const std::vector<InputFile>& inputs, std::uint64_t split_bytes) {
  std::uint64_t count = 0;
  for (const InputFile& file : inputs) count += splits_of(file, split_bytes);
  return count;
}

}  // namespace

Result<PolicyChoice> read_policy(const std::string& text) {
  const auto colon = text.find(':');
  PolicyChoice choice{text.substr(0, colon), {}};
  std::istringstream list(colon == std::string::npos ? "" : text.substr(colon + 1));
  for (std::string item; std::getline(list, item, ',');) {
    const auto equals = item.find('=');
    if (equals == 0 || equals == std::string::npos)
      return bad_input("'" + text + "' is not NAME or NAME:KEY=VALUE,...");
    choice.parameters[item.substr(0, equals)] = item.substr(equals + 1);
  }
  return choice;
}

std::uint64_t count_splits(const JobSpec& spec) { return count_splits(spec.inputs, spec.split_bytes); }

std::vector<Split> make_splits(const JobSpec& spec) {
  std::vector<Split> splits;
  splits.reserve(count_splits(spec));
  for (std::uint32_t index = 0; index < spec.inputs.size(); ++index) {
    const InputFile& file = spec.inputs[index];
    if (!file.is_divisible()) {
      splits.push_back({index, {0, file.knows_length() ? file.length() : kUnknownEnd}});
      continue;
    }
    const std::uint64_t count = splits_of(file, spec.split_bytes);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t begin = i * spec.split_bytes;
      splits.push_back({index, {begin, i + 1 == count ? file.length() : begin + spec.split_bytes}});
    }
  }
  return splits;
}

std::uint64_t count_files(const JobSpec& spec) {
  std::uint64_t count = 0;
  for (const InputFile& file : spec.inputs) count += std::max<std::size_t>(file.parts.size(), 1);
  return count;
}

}  // namespace ontime::scheduler
