
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <exception>
#include <functional>
#include <future>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "cli/result/answer_output.h"
#include "cli/result/run_reader.h"
#include "cli/result/spill.h"
#include "common/base/crc32c.h"

namespace ontime::cli {
namespace {

constexpr std::size_t kPartReadBytesLeast = 16u << 10;
constexpr std::size_t kPartReadBytesMost = 1u << 20;

// Ascending records of a file: of a part file, or a whole temporary file, which lives as long as its run.
struct SortedRun {
  std::optional<PartFile> part;  // opened when it is read; none: `file` is
  std::shared_ptr<Descriptor> file;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint32_t checksum = 0;
};

Result<std::shared_ptr<Descriptor>> open_run(const SortedRun& run) {
  return run.part ? open_part(*run.part) : run.file;
}

Result<std::uint64_t> size_of(const Descriptor& file) {
  struct stat status {};
  if (fstat(file.get(), &status) != 0) return failed(std::string("cannot read a file: ") + std::strerror(errno));
  return static_cast<std::uint64_t>(status.st_size);
}

// One merge of part files; remembers what its steps share.
class PartSorter {
 public:
  PartSorter(app::Order& order, const MergeOptions& options, std::size_t runs_at_once)
      : order_(order), options_(options), runs_at_once_(std::max<std::size_t>(2, runs_at_once)) {}

  Status find_runs(const std::vector<PartFile>& parts);
  Status reduce_runs();
  Status write(app::Output& answer);

 private:
  Status find_runs(const PartFile& part, std::vector<SortedRun>& runs) const;
  using RecordVisitor = std::function<void(std::string_view)>;
  Status merge(std::vector<SortedRun> runs, const RecordVisitor& visit);
  Result<SortedRun> merge_to_file(std::vector<SortedRun> runs);

  app::Order& order_;
  const MergeOptions& options_;
  std::size_t runs_at_once_;
  std::vector<SortedRun> runs_;
};

// Part by part, by as many threads as there are to be.
Status PartSorter::find_runs(const std::vector<PartFile>& parts) {
  std::vector<std::vector<SortedRun>> found(parts.size());
  std::atomic<std::size_t> next = 0;
  const auto look = [&]() -> Status {
    for (std::size_t at = next++; at < parts.size(); at = next++)
      if (auto status = find_runs(parts[at], found[at]); !status) return status;
    return {};
  };
  std::vector<std::future<Status>> looking;
  for (std::size_t i = 0; i < std::clamp<std::size_t>(options_.threads, 1, std::max<std::size_t>(1, parts.size())); ++i)
    looking.push_back(std::async(std::launch::async, look));
  Status first;
  for (auto& one : looking) one.wait();
  for (auto& one : looking) {
    Status status = one.get();
    if (first && !status) first = status;
  }
  for (auto& of_part : found) std::move(of_part.begin(), of_part.end(), std::back_inserter(runs_));
  return first;
}

// A run ends where a record stands before the one in front of it. Reads all of the part, and so checks it.
Status PartSorter::find_runs(const PartFile& part, std::vector<SortedRun>& runs) const {
  SortedRun run{.part = part, .file = nullptr};
  const auto file = open_run(run);
  if (!file) return file.error();
  const auto size = size_of(**file);
  if (!size) return size.error();
  posix_fadvise((*file)->get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  PartCheck check(part);
  RunReader reader((*file)->get(), 0, *size, order_.record_bytes(), kPartReadBytesMost,
                   [&check](std::string_view bytes) { return check.add(bytes); });
  std::string last;
  std::uint64_t last_rank = 0;
  for (;;) {
    const auto there = reader.advance();
    if (!there) return failed("'" + part.path + "': " + there.error().message);
    if (!*there) break;
    const std::uint64_t rank = order_.rank(reader.record());
    if (rank < last_rank ||
        (rank == last_rank && run.begin < reader.offset() && order_.is_before(reader.record(), last))) {
      run.end = reader.offset();
      run.checksum = reader.checksum();
      runs.push_back(run);
      run.begin = reader.offset();
      reader.renew_checksum();
    }
    last_rank = rank;
    last = reader.record();
  }
  run.end = *size;
  run.checksum = reader.checksum();
  if (run.begin < run.end) runs.push_back(run);
  return check.finish();
}

Status PartSorter::merge(std::vector<SortedRun> runs, const RecordVisitor& visit) {
  const auto block = std::clamp(options_.memory_bytes / (runs.size() + 1), kPartReadBytesLeast, kPartReadBytesMost);
  std::vector<std::shared_ptr<Descriptor>> files;
  RunTournament tournament(order_);
  for (const SortedRun& run : runs) {
    auto file = open_run(run);
    if (!file) return file.error();
    tournament.add(RunReader((*file)->get(), run.begin, run.end, order_.record_bytes(), block), run.checksum);
    files.push_back(std::move(*file));
  }
  if (auto status = tournament.begin(); !status) return status;
  while (!tournament.is_over()) {
    visit(tournament.record());
    if (auto status = tournament.next(); !status) return status;
  }
  return {};
}

Result<SortedRun> PartSorter::merge_to_file(std::vector<SortedRun> runs) {
  auto made = make_temporary_file(options_.temporary_directory);
  if (!made) return made.error();
  auto file = std::make_shared<Descriptor>(*made);
  DescriptorOutput out(file->get(), "a temporary file");
  const bool are_lines = order_.record_bytes() == 0;
  std::uint32_t checksum = 0;
  const auto write = [&](std::string_view bytes) {
    checksum = crc32c(checksum, bytes.data(), bytes.size());
    out.write(bytes);
  };
  const auto append = [&](std::string_view record) {
    write(record);
    if (are_lines) write("\n");
  };
  if (auto status = merge(std::move(runs), append); !status) return status.error();
  if (auto status = out.finish(); !status) return status.error();
  const auto size = size_of(*file);
  if (!size) return size.error();
  return SortedRun{.part = {}, .file = std::move(file), .begin = 0, .end = *size, .checksum = checksum};
}

// Passes over all runs until they can be merged at once. Neighbours are merged, oldest first, so that each pass makes
// about runs_at_once_ times fewer runs.
Status PartSorter::reduce_runs() {
  while (runs_.size() > runs_at_once_) {
    std::vector<SortedRun> fewer;
    for (std::size_t at = 0; at < runs_.size(); at += runs_at_once_) {
      const auto begin = runs_.begin() + static_cast<std::ptrdiff_t>(at);
      const auto end = runs_.begin() + static_cast<std::ptrdiff_t>(std::min(runs_.size(), at + runs_at_once_));
      auto merged = merge_to_file({begin, end});
      if (!merged) return merged.error();
      for (auto run = begin; run != end; ++run) run->file.reset();  // what is merged is not needed any more
      fewer.push_back(std::move(*merged));
    }
    runs_ = std::move(fewer);
  }
  return {};
}

Status PartSorter::write(app::Output& answer) {
  auto status = merge(std::move(runs_), [&](std::string_view record) { order_.finish(record, answer); });
  if (status) order_.finish_all(answer);
  return status;
}

}  // namespace

Status sort_parts(const std::vector<PartFile>& parts, app::Order& order, const MergeOptions& options,
                  app::Output& answer, std::size_t runs_at_once) {
  try {
    PartSorter sorter(order, options, runs_at_once);
    if (auto status = sorter.find_runs(parts); !status) return status;
    if (auto status = sorter.reduce_runs(); !status) return status;
    return sorter.write(answer);
  } catch (const std::exception& exception) {
    return failed(std::string("the part files cannot be sorted: ") + exception.what() +
                  "; 'ontime verify' tells whether they are damaged");
  }
}

}  // namespace ontime::cli
