#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "cli/result/answer_output.h"
#include "cli/result/folding.h"
#include "cli/result/part_file.h"

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
    const auto order = table_.fold_all();
    if (!order) return order.error();
    auto status = runs_.add([&](const PairVisitor& append) -> Status {
      for (const std::uint32_t entry : *order)
        if (auto written = append(table_.key(entry), table_.value(entry)); !written) return written;
      return {};
    });
    table_.clear();
    return status;
  }

  ValueTable table_;
  std::size_t memory_bytes_;
  RunStack runs_;
  std::vector<std::uint32_t> order_;
};

// One thread's share of the lines.
struct Share {
  Share(std::unique_ptr<app::Merger> own, const MergeOptions& options)
      : merger(std::move(own)), folder(*merger), sorter(folder, options) {}

  const std::unique_ptr<app::Merger> merger;
  Folder folder;
  Sorter sorter;
};

}  // namespace

Status merge_parts(const std::vector<PartFile>& parts, const MakeMerger& make_merger, const MergeOptions& options,
                   app::Output& answer) {
  MergeOptions of_share = options;
  const std::size_t threads = std::clamp<std::size_t>(options.threads, 1, std::max<std::size_t>(1, parts.size()));
  of_share.memory_bytes = options.memory_bytes / threads;
  std::vector<std::unique_ptr<Share>> shares;
  for (std::size_t i = 0; i < threads; ++i) shares.push_back(std::make_unique<Share>(make_merger(), of_share));
  const auto read = [&](std::size_t share, std::size_t part) {
    return for_each_line(parts[part], [&](std::string_view line) { return shares[share]->sorter.add(line); });
  };
  if (auto status = in_parallel(parts.size(), threads, read); !status) return status;
  const auto finish_share = [&](std::size_t, std::size_t share) { return shares[share]->sorter.finish(); };
  if (auto status = in_parallel(threads, threads, finish_share); !status) return status;
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
  const auto write = [&answer](std::string_view line) -> Status {
    answer.write(line);
    answer.write("\n");
    return {};
  };
  for (const auto& part : parts)
    if (auto status = for_each_line(part, write); !status) return status;
  return {};
}

}  // namespace ontime::cli
