#include <algorithm>

#include "cli/result/answer_output.h"
#include "cli/result/part_file.h"
#include "cli/result/spill.h"
#include "cli/result/value_table.h"

namespace ontime::cli {
namespace {

// Gathers lines in memory, goes to temporary files when the budget is used up, and gives everything back in key order.
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

  Status for_each(const PairVisitor& visit) {
    if (runs_.empty()) return table_.for_each(visit);
    if (!table_.empty())
      if (auto status = spill(); !status) return status;
    return runs_.merge_all(visit);
  }

 private:
  Status spill() {
    auto status = runs_.add([this](const PairVisitor& append) { return table_.for_each(append); });
    table_.clear();
    return status;
  }

  ValueTable table_;
  std::size_t memory_bytes_;
  RunStack runs_;
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

}  // namespace

Status merge_parts(const std::vector<PartFile>& parts, app::Merger& merger, const MergeOptions& options,
                   app::Output& answer) {
  Folder folder(merger);
  Sorter sorter(folder, options);
  for (const auto& part : parts)
    if (auto status = add_lines(part, sorter); !status) return status;
  const auto finish = [&](std::string_view key, std::string_view value) { return folder.finish(key, value, answer); };
  if (auto status = sorter.for_each(finish); !status) return status;
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
