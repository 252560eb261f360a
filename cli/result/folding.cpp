#include "cli/result/folding.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <numeric>
#include <utility>

#include "cli/result/part_file.h"
#include "common/files/disk.h"

namespace ontime::cli {
namespace {

constexpr std::size_t kBlockBytes = 64u << 10;
constexpr std::size_t kAlignment = alignof(std::max_align_t);
constexpr std::uint32_t kValuesBeforeFold = 32;
constexpr std::size_t kSlotsAtFirst = 64;
constexpr std::size_t kKeyShown = 80;
constexpr std::size_t kWriteBytes = 256u << 10;
constexpr std::size_t kSpillReadBytesLeast = 4u << 10;
constexpr std::size_t kSpillReadBytesMost = 1u << 20;

using Sizes = std::array<std::uint32_t, 2>;  // of key and value

Error cannot_merge(std::string_view key, const std::exception& exception) {
  return failed("the values of key '" + std::string(key.substr(0, kKeyShown)) +
                "' cannot be merged: " + exception.what() + "; 'ontime verify' tells whether the output is damaged");
}

Error cannot_spill(const char* what, const std::string& why = std::strerror(errno)) {
  return failed(std::string("cannot ") + what + " temporary files: " + why +
                "; set TMPDIR to a directory with room, or give more --memory");
}

// Reads one run from its begin, with a buffer that holds at least the current record.
class SpilledRunReader final : public PairSource {
 public:
  SpilledRunReader(int descriptor, std::size_t block_bytes) : window_(descriptor, 0, UINT64_MAX, block_bytes) {}

  Result<bool> advance() override {
    window_.drop(record_bytes_);
    record_bytes_ = 0;
    if (auto there = ensure(sizeof(Sizes)); !there || !*there) return there;
    std::memcpy(sizes_.data(), window_.bytes().data(), sizeof(Sizes));
    record_bytes_ = sizeof(Sizes) + sizes_[0] + sizes_[1];
    auto there = ensure(record_bytes_);
    if (there && !*there) return failed("a temporary file has lost its end");
    return there;
  }
  std::string_view key() const override { return window_.bytes().substr(sizeof(Sizes), sizes_[0]); }
  std::string_view value() const override { return window_.bytes().substr(sizeof(Sizes) + sizes_[0], sizes_[1]); }

 private:
  // Whether there are `size` bytes.
  Result<bool> ensure(std::size_t size) {
    while (window_.bytes().size() < size) {
      const auto more = window_.read_more();
      if (!more) return cannot_spill("read", more.error().message);
      if (more->empty()) return false;
    }
    return true;
  }

  FileWindow window_;
  std::size_t record_bytes_ = 0;  // of the current record
  Sizes sizes_{};
};

// The readers that still have records, as a heap with the smallest key on top.
class Merge {
 public:
  explicit Merge(Folder& folder) : folder_(folder) {}

  Status add(std::unique_ptr<PairSource> source) {
    sources_.push_back(std::move(source));
    return advance(sources_.back().get());
  }

  Status visit_all(const PairVisitor& visit) {
    while (!heap_.empty()) {
      take_equal();
      const auto key = current_.front()->key();
      values_.clear();
      for (const auto* reader : current_) values_.push_back(reader->value());
      const auto folded = folder_.fold(key, values_);
      if (!folded) return folded.error();
      if (auto status = visit(key, *folded); !status) return status;
      for (auto* reader : current_)
        if (auto status = advance(reader); !status) return status;
    }
    return {};
  }

 private:
  static bool is_behind(const PairSource* a, const PairSource* b) { return a->key() > b->key(); }

  Status advance(PairSource* reader) {
    const auto there = reader->advance();
    if (!there) return there.error();
    if (!*there) return {};
    heap_.push_back(reader);
    std::push_heap(heap_.begin(), heap_.end(), is_behind);
    return {};
  }

  // Moves all readers that stand at the smallest key from heap_ to current_.
  void take_equal() {
    current_.clear();
    do {
      std::pop_heap(heap_.begin(), heap_.end(), is_behind);
      current_.push_back(heap_.back());
      heap_.pop_back();
    } while (!heap_.empty() && heap_.front()->key() == current_.front()->key());
  }

  Folder& folder_;
  std::vector<std::unique_ptr<PairSource>> sources_;
  std::vector<PairSource*> heap_;
  std::vector<PairSource*> current_;
  std::vector<std::string_view> values_;
};

}  // namespace

Result<std::string_view> Folder::fold(std::string_view key, std::span<const std::string_view> values) {
  if (values.size() == 1) return values.front();
  try {
    merged_.clear();
    merger_->merge(key, values, merged_);
  } catch (const std::exception& exception) {
    return cannot_merge(key, exception);
  }
  return std::string_view(merged_);
}

Status Folder::finish(std::string_view key, std::string_view value, app::Output& answer) {
  try {
    merger_->finish(key, value, answer);
  } catch (const std::exception& exception) {
    return cannot_merge(key, exception);
  }
  return {};
}

Status Folder::finish_all(app::Output& answer) {
  try {
    merger_->finish_all(answer);
  } catch (const std::exception& exception) {
    return failed(std::string("the answer cannot be finished: ") + exception.what());
  }
  return {};
}

char* Arena::take(std::size_t size) {
  size = (size + kAlignment - 1) / kAlignment * kAlignment;
  if (size > left_) {
    const auto block = std::max(size, kBlockBytes);
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(block));
    next_ = blocks_.back().get();
    left_ = block;
    bytes_ += block;
  }
  char* taken = next_;
  next_ += size;
  left_ -= size;
  return taken;
}

void Arena::clear() {
  blocks_.clear();
  next_ = nullptr;
  left_ = 0;
  bytes_ = 0;
}

std::size_t ValueTable::bytes() const {
  return arena_.bytes() + entries_.size() * (sizeof(Entry) + sizeof(std::uint32_t)) +
         slots_.size() * sizeof(std::uint32_t);
}

void ValueTable::clear() {
  arena_.clear();
  entries_.clear();
  slots_.clear();
}

// Values wait until there are many of them and they outweigh the folded one: a long value is not folded over and over.
Status ValueTable::add(std::string_view key, std::string_view value) {
  auto& entry = find_or_add(key);
  entry.values = store(value, entry.values);
  ++entry.count;
  entry.bytes += value.size();
  if (entry.count < kValuesBeforeFold || entry.bytes < 2 * entry.bytes_at_fold) return {};
  return fold(entry);
}

ValueTable::Value* ValueTable::store(std::string_view bytes, Value* next) {
  auto* value = reinterpret_cast<Value*>(arena_.take(sizeof(Value) + bytes.size()));
  *value = {next, bytes.size()};
  if (!bytes.empty()) std::memcpy(value + 1, bytes.data(), bytes.size());
  return value;
}

ValueTable::Entry& ValueTable::find_or_add(std::string_view key) {
  if (2 * (entries_.size() + 1) > slots_.size()) grow();
  const std::uint64_t hash = std::hash<std::string_view>{}(key);
  const auto mask = slots_.size() - 1;
  auto slot = hash & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    auto& entry = entries_[slots_[slot] - 1];
    if (entry.hash == hash && key_of(entry) == key) return entry;
  }
  char* stored = arena_.take(key.size());
  if (!key.empty()) std::memcpy(stored, key.data(), key.size());
  entries_.push_back({stored, static_cast<std::uint32_t>(key.size()), 0, hash, 0, 0, nullptr});
  slots_[slot] = static_cast<std::uint32_t>(entries_.size());
  return entries_.back();
}

void ValueTable::grow() {
  slots_.assign(std::max(kSlotsAtFirst, 2 * slots_.size()), 0);
  const auto mask = slots_.size() - 1;
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    auto slot = entries_[i].hash & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = i + 1;
  }
}

Status ValueTable::fold(Entry& entry) {
  if (entry.count == 1) return {};
  views_.clear();
  for (const auto* value = entry.values; value != nullptr; value = value->next) views_.push_back(value_of(value));
  const auto folded = folder_.fold(key_of(entry), views_);
  if (!folded) return folded.error();
  entry.values = store(*folded, nullptr);
  entry.count = 1;
  entry.bytes = entry.bytes_at_fold = folded->size();
  return {};
}

Result<std::vector<std::uint32_t>> ValueTable::fold_all() {
  for (Entry& entry : entries_)
    if (auto status = fold(entry); !status) return status.error();
  std::vector<std::uint32_t> order(entries_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [this](std::uint32_t a, std::uint32_t b) { return key_of(entries_[a]) < key_of(entries_[b]); });
  return order;
}

Result<Descriptor> make_temporary_file(const std::string& directory) {
  Descriptor file = files::open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file) return file;
  std::string path = directory + "/ontime-result-XXXXXX";  // a file system without nameless files
  file = Descriptor(mkostemp(path.data(), O_CLOEXEC));
  if (!file) return cannot_spill("make");
  files::remove(path);
  return file;
}

Status Run::append(std::string_view key, std::string_view value) {
  const Sizes sizes{static_cast<std::uint32_t>(key.size()), static_cast<std::uint32_t>(value.size())};
  if (key.size() > UINT32_MAX || value.size() > UINT32_MAX)
    return failed("a merged value has grown beyond 4 GiB, which is no answer");
  buffer_.append(reinterpret_cast<const char*>(sizes.data()), sizeof sizes);
  buffer_ += key;
  buffer_ += value;
  return buffer_.size() < kWriteBytes ? Status() : flush();
}

Status Run::flush() {
  for (std::string_view left = buffer_; !left.empty();) {
    const auto written = write(file_.get(), left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return cannot_spill("write");
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
  return {};
}

Status Run::finish() {
  auto status = flush();
  buffer_.shrink_to_fit();
  return status;
}

Status merge_runs(const std::vector<Run>& runs, std::vector<std::unique_ptr<PairSource>> others, Folder& folder,
                  std::size_t memory_bytes, const PairVisitor& visit) {
  const auto block = std::clamp(memory_bytes / (runs.size() + 1), kSpillReadBytesLeast, kSpillReadBytesMost);
  Merge merge(folder);
  for (const auto& run : runs)
    if (auto status = merge.add(std::make_unique<SpilledRunReader>(run.descriptor(), block)); !status) return status;
  for (auto& other : others)
    if (auto status = merge.add(std::move(other)); !status) return status;
  return merge.visit_all(visit);
}

RunStack::RunStack(std::string directory, Folder& folder, std::size_t memory_bytes, std::size_t fan_in)
    : directory_(std::move(directory)), folder_(folder), memory_bytes_(memory_bytes), fan_in_(fan_in) {}

Result<Run> RunStack::make_run(const WriteRun& write) const {
  auto file = make_temporary_file(directory_);
  if (!file) return file.error();
  Run run(std::move(*file));
  auto status = write([&run](std::string_view key, std::string_view value) { return run.append(key, value); });
  if (status) status = run.finish();
  if (!status) return status.error();
  return run;
}

Status RunStack::add(const WriteRun& write) {
  auto run = make_run(write);
  for (std::size_t level = 0;; ++level) {
    if (!run) return run.error();
    if (level == levels_.size()) levels_.emplace_back();
    levels_[level].push_back(std::move(*run));
    if (levels_[level].size() < fan_in_) return {};
    run = make_run([&](const PairVisitor& append) {
      return merge_runs(levels_[level], {}, folder_, memory_bytes_, append);
    });
    levels_[level].clear();
  }
}

std::vector<Run> RunStack::take_all() {
  std::vector<Run> all;
  for (auto& level : levels_)
    for (auto& run : level) all.push_back(std::move(run));
  levels_.clear();
  return all;
}

}  // namespace ontime::cli
