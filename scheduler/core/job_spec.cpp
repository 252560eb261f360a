#include "scheduler/core/job_spec.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "scheduler/core/event.h"

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
    if (!choice.parameters.emplace(item.substr(0, equals), item.substr(equals + 1)).second)
      return bad_input("'" + text + "' gives '" + item.substr(0, equals) + "' twice; give it once");
  }
  return choice;
}

std::uint64_t count_splits(const JobSpec& spec) { return count_splits(spec.inputs, spec.split_bytes); }

Splits::Splits(const JobSpec& spec) : spec_(&spec) {
  ends_.reserve(spec.inputs.size());
  for (const InputFile& file : spec.inputs)
    ends_.push_back(static_cast<std::uint32_t>(size() + splits_of(file, spec.split_bytes)));
}

Split Splits::operator[](std::uint32_t index) const {
  const auto end = std::upper_bound(ends_.begin(), ends_.end(), index);
  const auto input = static_cast<std::uint32_t>(end - ends_.begin());
  const InputFile& file = spec_->inputs[input];
  if (!file.is_divisible()) return {input, {0, file.knows_length() ? file.length() : kUnknownEnd}};
  const std::uint64_t begin = (index - (end == ends_.begin() ? 0 : *(end - 1))) * spec_->split_bytes;
  return {input, {begin, index + 1 == *end ? file.length() : begin + spec_->split_bytes}};
}

std::vector<Split> make_splits(const JobSpec& spec) {
  const Splits all(spec);
  std::vector<Split> splits;
  splits.reserve(all.size());
  for (std::uint32_t index = 0; index < all.size(); ++index) splits.push_back(all[index]);
  return splits;
}

std::uint64_t count_files(const JobSpec& spec) {
  std::uint64_t count = 0;
  for (const InputFile& file : spec.inputs) count += std::max<std::size_t>(file.parts.size(), 1);
  return count;
}

bool has_store(const JobSpec& spec) {
  const auto is_address = [](const std::string& path) {
    return !path.starts_with('/') && path.find("://") != std::string::npos;
  };
  return is_address(spec.output) || std::any_of(spec.inputs.begin(), spec.inputs.end(),
                                                [&](const InputFile& file) { return is_address(file.path); });
}

// Sought without copies, as this is asked at every seal. No kind's name is a part of another's.
bool leaves_out(const JobSpec& spec, FailureKind kind) {
  switch (kind) {
    case FailureKind::Data:
      return spec.skip.kinds.find("corrupt") != std::string::npos;
    case FailureKind::Vanished:
      return spec.skip.kinds.find("vanished") != std::string::npos;
    case FailureKind::Unreadable:
      return spec.skip.kinds.find("unreadable") != std::string::npos;
    default:
      return false;
  }
}

bool leaves_out_while_mapped(const JobSpec& spec) {
  return leaves_out(spec, FailureKind::Data) || leaves_out(spec, FailureKind::Vanished) ||
         leaves_out(spec, FailureKind::Unreadable);
}

// Lengths in front, so that no name or value can pass for another.
std::string profile_key(const JobSpec& spec) {
  std::string key;
  const auto append = [&key](const std::string& text) { key += std::to_string(text.size()) + ":" + text; };
  append(spec.application);
  if (!spec.records.empty()) append(spec.records);
  for (const auto& [name, value] : spec.parameters) {
    append(name);
    append(value);
    if (key.size() > kProfileKeyBytesMax) return {};
  }
  return key;
}

// How an input is divided ---------------------------------------------------------------------------------------------

namespace {

constexpr std::uint64_t kLaunchBytes = 64 << 10;  // mapped in less time than it takes to launch and seal a task
// A group that begins anew is read from its begin if nobody knows where its files lie in it: no more than this.
constexpr std::uint64_t kCompressedGroupBytes = 1 << 20;

std::uint64_t sum(std::uint64_t a, std::uint64_t b) { return a > ~std::uint64_t{0} - b ? ~std::uint64_t{0} : a + b; }

// Of a compressed file, at least as much as is known.
std::uint64_t bytes_of(const InputFile& file) { return std::max(file.size, file.length()); }

std::uint64_t total_bytes(const std::vector<InputFile>& files) {
  std::uint64_t total = 0;
  for (const InputFile& file : files) total = sum(total, bytes_of(file));
  return total;
}

// The group that is being filled, as one file comes after another.
class OpenGroup {
 public:
  explicit OpenGroup(std::uint64_t bytes_max) : bytes_max_(bytes_max) {}

  // Whether the file shares the task of the file before. If not, the next may share its.
  bool takes(const InputFile& file) {
    const bool is_plain = file.codec == Codec::Plain;
    const std::uint64_t bytes = bytes_of(file);
    const bool is_small = bytes < most(is_plain);
    const std::size_t text = file.path.size() + file.version.size();
    const bool fits = is_small && files_ > 0 && bytes_ + bytes <= most(is_plain && is_plain_) &&
                      files_ < kGroupFilesMax && text_ + text <= kGroupTextMax;
    files_ = fits ? files_ + 1 : is_small ? 1 : 0;
    bytes_ = fits ? bytes_ + bytes : bytes;
    text_ = fits ? text_ + text : text;
    is_plain_ = is_plain && (is_plain_ || !fits);
    return fits;
  }

 private:
  std::uint64_t most(bool is_plain) const {
    return is_plain ? bytes_max_ : std::min(bytes_max_, kCompressedGroupBytes);
  }

  const std::uint64_t bytes_max_;
  std::uint64_t bytes_ = 0;
  bool is_plain_ = true;
  std::size_t files_ = 0;  // 0: what came last stays alone
  std::size_t text_ = 0;
};

// Short rests of files are not joined to the split before: a larger split size never makes more tasks.
std::uint64_t tasks_of(const std::vector<InputFile>& files, std::uint64_t split_bytes, bool groups) {
  std::uint64_t tasks = 0;
  OpenGroup group(split_bytes);
  for (const InputFile& file : files) {
    if (groups && group.takes(file)) continue;
    const std::uint64_t length = file.length();
    tasks += file.is_divisible() ? length / split_bytes + (length % split_bytes != 0 ? 1 : 0) : 1;
  }
  return tasks;
}

InputPart part_of(InputFile file) { return {std::move(file.path), file.size, std::move(file.version), file.codec}; }

void add_to_group(InputFile& group, InputFile file) {
  if (group.parts.empty()) {
    InputFile first{group.path, group.size, std::move(group.version), group.codec};
    group = {group.path, group.size, "", group.codec};
    group.parts.push_back(part_of(std::move(first)));
  }
  if (file.codec != Codec::Plain || group.codec != Codec::Plain) group.codec = Codec::Stream;
  group.size += file.size;
  group.parts.push_back(part_of(std::move(file)));
}

}  // namespace

std::vector<InputFile> group_files(std::vector<InputFile> files, std::uint64_t group_bytes) {
  std::vector<InputFile> grouped;
  OpenGroup group(group_bytes);
  for (InputFile& file : files) {
    if (group.takes(file)) {
      add_to_group(grouped.back(), std::move(file));
    } else {
      grouped.push_back(std::move(file));
    }
  }
  return grouped;
}

std::uint64_t default_group_bytes(const std::vector<InputFile>& files, std::uint64_t split_bytes) {
  const std::uint64_t total = total_bytes(files);
  return std::min(split_bytes, std::max(std::min(total / 100, kLaunchBytes), total / 1000));
}

std::uint64_t split_bytes_for(const std::vector<InputFile>& files, std::uint32_t count, bool groups) {
  std::uint64_t most = 1;
  for (const InputFile& file : files) most = std::max(most, file.length());
  if (groups) most = std::max(most, total_bytes(files));
  const std::uint64_t wanted = std::max<std::uint64_t>(count, tasks_of(files, most, groups));
  std::uint64_t least = 1;
  while (least < most) {
    const std::uint64_t middle = least + (most - least) / 2;
    if (tasks_of(files, middle, groups) <= wanted)
      most = middle;
    else
      least = middle + 1;
  }
  return least;
}

void divide_input(JobSpec& spec, std::vector<InputFile> files, const InputDivision& division) {
  const bool groups = division.groups && !leaves_out_while_mapped(spec);  // a file is left out, and not those beside it
  if (division.split_bytes != 0) {
    spec.split_bytes = division.split_bytes;
  } else if (division.splits != 0) {
    spec.split_bytes = split_bytes_for(files, division.splits, groups);
  }
  const bool is_default = division.split_bytes == 0 && division.splits == 0;
  const std::uint64_t group_bytes = is_default ? default_group_bytes(files, spec.split_bytes) : spec.split_bytes;
  spec.inputs = groups ? group_files(std::move(files), group_bytes) : std::move(files);
}

}  // namespace ontime::scheduler
