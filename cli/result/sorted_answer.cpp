#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "cli/result/answer_output.h"
#include "cli/result/folding.h"
#include "common/base/crc32c.h"
#include "common/base/descriptor.h"

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

// Many sorted runs as one: a tournament of losers, in which the next record costs one comparison per round.
class RunTournament {
 public:
  explicit RunTournament(const app::Order& order) : order_(order) {}

  Status add(const SortedRun& run, std::size_t block_bytes) {
    auto file = run.part ? open_part(*run.part) : run.file;
    if (!file) return file.error();
    const std::string path = run.part ? run.part->path : "a temporary file";
    players_.push_back(
        {RecordReader(std::move(*file), path, run.begin, run.end, order_.record_bytes(), block_bytes), run.checksum});
    return {};
  }
  // To be called once, after the last add().
  Status begin() {
    for (Player& player : players_)
      if (auto status = advance(player); !status) return status;
    losers_.assign(players_.size(), 0);
    if (!players_.empty()) winner_ = play(1);
    return {};
  }
  bool is_over() const { return players_.empty() || players_[winner_].is_over; }
  // The smallest record of all; valid until next(). REQUIRES: !is_over().
  std::string_view record() const { return players_[winner_].reader.record(); }
  Status next() {
    if (auto status = advance(players_[winner_]); !status) return status;
    for (std::size_t node = (winner_ + players_.size()) / 2; node > 0; node /= 2)
      if (is_before(losers_[node], winner_)) std::swap(losers_[node], winner_);
    return {};
  }

 private:
  struct Player {
    RecordReader reader;
    std::uint32_t expected_checksum;
    std::uint32_t checksum = 0;  // of what was read
    std::uint64_t rank = 0;      // of its current record
    bool is_over = false;
  };

  Status advance(Player& player) const {
    const auto there = player.reader.advance();
    if (!there) return there.error();
    player.is_over = !*there;
    if (player.is_over && player.checksum != player.expected_checksum)
      return failed("what is to be sorted has changed while it was read");
    if (player.is_over) return {};
    const std::string_view bytes = player.reader.whole_record();
    player.checksum = crc32c(player.checksum, bytes.data(), bytes.size());
    player.rank = order_.rank(player.reader.record());
    return {};
  }

  bool is_before(std::size_t a, std::size_t b) const {
    const Player& left = players_[a];
    const Player& right = players_[b];
    if (left.is_over || right.is_over) return !left.is_over;
    if (left.rank != right.rank) return left.rank < right.rank;
    return order_.is_before(left.reader.record(), right.reader.record());
  }

  // Leaves are the nodes players_.size() to 2 * players_.size() - 1. Depth is log2 of their number.
  std::size_t play(std::size_t node) {
    if (node >= players_.size()) return node - players_.size();
    std::size_t winner = play(2 * node);
    std::size_t loser = play(2 * node + 1);
    if (is_before(loser, winner)) std::swap(winner, loser);
    losers_[node] = loser;
    return winner;
  }

  const app::Order& order_;
  std::vector<Player> players_;
  std::vector<std::size_t> losers_;  // a binary tree with players_.size() leaves; [0] is not used
  std::size_t winner_ = 0;
};

Result<std::uint64_t> size_of(const Descriptor& file) {
  struct stat status {};
  if (fstat(file.get(), &status) != 0) return failed(std::string("cannot read a file: ") + std::strerror(errno));
  return static_cast<std::uint64_t>(status.st_size);
}

// What compressed parts hold, for the merge, which reads many runs of a part at a time. Each thread has its own.
class Spool {
 public:
  Status begin(const std::string& directory) {
    if (file_) return {};
    auto made = make_temporary_file(directory);
    if (!made) return made.error();
    file_ = std::make_shared<Descriptor>(std::move(*made));
    out_.emplace(file_->get(), "a temporary file");
    return {};
  }
  void add(std::string_view bytes) { out_->write(bytes); }
  Status flush() { return out_->finish(); }
  std::uint64_t size() const { return out_->bytes(); }
  const std::shared_ptr<Descriptor>& file() const { return file_; }

 private:
  std::shared_ptr<Descriptor> file_;
  std::optional<DescriptorOutput> out_;
};

// One merge of part files; remembers what its steps share.
class PartSorter {
 public:
  PartSorter(app::Order& order, const MergeOptions& options, std::size_t in_a_pass)
      : order_(order), options_(options), in_a_pass_(std::max<std::size_t>(2, in_a_pass)) {}

  Status find_runs(const std::vector<PartFile>& parts);
  Status reduce_runs();
  Status write(app::Output& answer);

 private:
  Status find_runs(const PartFile& part, Spool& spool, std::vector<SortedRun>& runs) const;
  using RecordVisitor = std::function<void(std::string_view)>;
  Status merge(std::vector<SortedRun> runs, const RecordVisitor& visit);
  Result<SortedRun> merge_to_file(std::vector<SortedRun> runs);

  app::Order& order_;
  const MergeOptions& options_;
  std::size_t in_a_pass_;
  std::vector<SortedRun> runs_;
};

// Part by part, by as many threads as there are to be.
Status PartSorter::find_runs(const std::vector<PartFile>& parts) {
  std::vector<std::vector<SortedRun>> found(parts.size());
  const std::size_t threads = std::max<std::size_t>(1, options_.threads);
  std::vector<Spool> spools(threads);
  const auto look = [&](std::size_t thread, std::size_t part) {
    return find_runs(parts[part], spools[thread], found[part]);
  };
  if (auto status = in_parallel(parts.size(), threads, look); !status) return status;
  for (auto& of_part : found) std::move(of_part.begin(), of_part.end(), std::back_inserter(runs_));
  return {};
}

// A run ends where a record stands before the one in front of it. Reads all of the part, and so checks it.
Status PartSorter::find_runs(const PartFile& part, Spool& spool, std::vector<SortedRun>& runs) const {
  auto reader = RecordReader::open(part, order_.record_bytes(), kPartReadBytesMost);
  if (!reader) return reader.error();
  SortedRun run{.part = part, .file = nullptr};
  const bool is_spooled = part.codec != Codec::Plain;
  if (is_spooled) {
    if (auto status = spool.begin(options_.temporary_directory); !status) return status;
    run = {.part = {}, .file = spool.file(), .begin = spool.size(), .end = spool.size()};
  }
  const std::uint64_t first = run.begin;
  std::string last;
  std::uint64_t last_rank = 0;
  for (;;) {
    const auto there = reader->advance();
    if (!there) return there.error();
    run.end = first + reader->offset();
    if (!*there) break;
    const std::string_view record = reader->record();
    const std::uint64_t rank = order_.rank(record);
    if (rank < last_rank || (rank == last_rank && run.begin < run.end && order_.is_before(record, last))) {
      runs.push_back(run);
      run.begin = run.end;
      run.checksum = 0;
    }
    const std::string_view bytes = reader->whole_record();
    run.checksum = crc32c(run.checksum, bytes.data(), bytes.size());
    if (is_spooled) spool.add(bytes);
    last_rank = rank;
    last = record;
  }
  if (run.begin < run.end) runs.push_back(run);
  return is_spooled ? spool.flush() : Status();
}

Status PartSorter::merge(std::vector<SortedRun> runs, const RecordVisitor& visit) {
  const auto block = std::clamp(options_.memory_bytes / (runs.size() + 1), kPartReadBytesLeast, kPartReadBytesMost);
  RunTournament tournament(order_);
  for (const SortedRun& run : runs)
    if (auto status = tournament.add(run, block); !status) return status;
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
  auto file = std::make_shared<Descriptor>(std::move(*made));
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
// about in_a_pass_ times fewer runs.
Status PartSorter::reduce_runs() {
  while (runs_.size() > in_a_pass_) {
    std::vector<SortedRun> fewer;
    for (std::size_t at = 0; at < runs_.size(); at += in_a_pass_) {
      const auto begin = runs_.begin() + static_cast<std::ptrdiff_t>(at);
      const auto end = runs_.begin() + static_cast<std::ptrdiff_t>(std::min(runs_.size(), at + in_a_pass_));
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

std::size_t runs_at_once() {
  constexpr std::uint64_t kMost = 256;
  constexpr std::uint64_t kBeside = 32;
  const std::uint64_t descriptors = raise_descriptor_limit(2 * kMost + kBeside);
  return static_cast<std::size_t>(std::min(kMost, (descriptors - std::min(descriptors, kBeside)) / 2));
}

Status sort_parts(const std::vector<PartFile>& parts, app::Order& order, const MergeOptions& options,
                  app::Output& answer, std::size_t in_a_pass) {
  try {
    PartSorter sorter(order, options, in_a_pass);
    if (auto status = sorter.find_runs(parts); !status) return status;
    if (auto status = sorter.reduce_runs(); !status) return status;
    return sorter.write(answer);
  } catch (const std::exception& exception) {
    return failed(std::string("the part files cannot be sorted: ") + exception.what() +
                  "; 'ontime verify' tells whether they are damaged");
  }
}

}  // namespace ontime::cli
