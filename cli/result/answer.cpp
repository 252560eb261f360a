#include <algorithm>
#include <atomic>
#include <future>
#include <memory>
#include <utility>
#include <vector>

#include "cli/result/answer_output.h"
#include "cli/result/part_file.h"
#include "cli/result/spill.h"
#include "cli/result/value_table.h"

namespace ontime::cli {
namespace {

// What is left in a table, which outlives it.
class TableSource final : public PairSource {
 public:
  TableSource(const ValueTable& table, const std::vector<std::uint32_t>& order) : table_(table), order_(order) {}
  Result<bool> advance() override { return ++at_ <= order_.size(); }
  std::string_view key() const override { return table_.key(order_[at_ - 1]); }
  std::string_view value() const override { return table_.value(order_[at_ - 1]); }

 private:
  const ValueTable& table_;
  const std::vector<std::uint32_t>& order_;
  std::size_t at_ = 0;  // one behind the current pair
};

// Gathers lines in memory, goes to temporary files when the budget is used up, and gives everything back in key order.
// One thread at a time.
class Sorter {
 public:
  Sorter(Folder& folder, const MergeOptions& options)
      : table_(folder),
        memory_bytes_(options.memory_bytes),
        runs_(options.temporary_directory, folder, options.memory_bytes, std::max<std::size_t>(2, options.fan_in)) {}

  Status add(std::string_view line) {
    const auto tab = line.find('\t');
    const auto key = line.substr(0, tab);
    const auto value = tab == std::string_view::npos ? std::string_view() : line.substr(tab + 1);
    if (auto status = table_.add(key, value); !status) return status;
    return table_.bytes() <= memory_bytes_ ? Status() : spill();
  }

  // After the last line. What is left in memory stays there, unless runs need the memory for their merge.
  Status finish() {
    if (!runs_.empty() && !table_.empty())
      if (auto status = spill(); !status) return status;
    auto order = table_.fold_all();
    if (!order) return order.error();
    order_ = std::move(*order);
    return {};
  }

  std::vector<Run> take_runs() { return runs_.take_all(); }
  std::unique_ptr<PairSource> rest() const { return std::make_unique<TableSource>(table_, order_); }
  std::size_t bytes() const { return table_.bytes(); }

 private:
  Status spill() {
    auto status = runs_.add([this](const PairVisitor& append) { return table_.for_each(append); });
    table_.clear();
    return status;
  }

  ValueTable table_;
  std::size_t memory_bytes_;
  RunStack runs_;
  std::vector<std::uint32_t> order_;
};

Status add_lines(const PartFile& part, Sorter& sorter) {
  auto reader = LineReader::open(part);
  if (!reader) return reader.error();
  for (;;) {
    const auto line = reader->next();
    if (!line) return line.error();
    if (!line->has_value()) return {};
    if (auto status = sorter.add(**line); !status) return status;
  }
}

// One thread's share of the part files, taken one by one.
struct Share {
  Share(std::unique_ptr<app::Merger> own, const MergeOptions& options)
      : merger(std::move(own)), folder(*merger), sorter(folder, options) {}
  Status read(const std::vector<PartFile>& parts, std::atomic<std::size_t>& next) {
    for (std::size_t at = next++; at < parts.size(); at = next++)
      if (auto status = add_lines(parts[at], sorter); !status) return status;
    return sorter.finish();
  }

  const std::unique_ptr<app::Merger> merger;
  Folder folder;
  Sorter sorter;
};

// Each by a thread of its own; the first error.
Status read_all(std::vector<std::unique_ptr<Share>>& shares, const std::vector<PartFile>& parts) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::future<Status>> reading;
  for (auto& share : shares)
    reading.push_back(std::async(std::launch::async, [&] { return share->read(parts, next); }));
  Status first;
  for (auto& one : reading) {
    Status status = one.get();
    if (first && !status) first = status;
  }
  return first;
}

}  // namespace

Status merge_parts(const std::vector<PartFile>& parts, const MakeMerger& make_merger, const MergeOptions& options,
                   app::Output& answer) {
  MergeOptions of_share = options;
  const std::size_t count = std::clamp<std::size_t>(options.threads, 1, std::max<std::size_t>(1, parts.size()));
  of_share.memory_bytes = options.memory_bytes / count;
  std::vector<std::unique_ptr<Share>> shares;
  for (std::size_t i = 0; i < count; ++i) shares.push_back(std::make_unique<Share>(make_merger(), of_share));
  if (auto status = read_all(shares, parts); !status) return status;
  std::vector<Run> runs;
  std::vector<std::unique_ptr<PairSource>> rests;
  std::size_t held = 0;
  for (auto& share : shares) {
    for (Run& run : share->sorter.take_runs()) runs.push_back(std::move(run));
    rests.push_back(share->sorter.rest());
    held += share->sorter.bytes();
  }
  const std::size_t memory = options.memory_bytes - std::min<std::size_t>(options.memory_bytes, held);
  Folder& folder = shares.front()->folder;
  const auto finish = [&](std::string_view key, std::string_view value) { return folder.finish(key, value, answer); };
  if (auto status = merge_runs(runs, std::move(rests), folder, memory, finish); !status) return status;
  return folder.finish_all(answer);
}

Status concatenate_parts(const std::vector<PartFile>& parts, app::Output& answer) {
  for (const auto& part : parts) {
    auto reader = LineReader::open(part);
    if (!reader) return reader.error();
    for (;;) {
      const auto line = reader->next();
      if (!line) return line.error();
      if (!line->has_value()) break;
      answer.write(**line);
      answer.write("\n");
    }
  }
  return {};
}

}  // namespace ontime::cli
