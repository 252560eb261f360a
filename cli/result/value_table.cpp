#include <algorithm>
#include <cstring>
#include <exception>
#include <functional>
#include <numeric>

#include "cli/result/folding.h"

namespace ontime::cli {
namespace {

constexpr std::size_t kBlockBytes = 64u << 10;
constexpr std::size_t kAlignment = alignof(std::max_align_t);
constexpr std::uint32_t kValuesBeforeFold = 32;
constexpr std::size_t kSlotsAtFirst = 64;
constexpr std::size_t kKeyShown = 80;

Error cannot_merge(std::string_view key, const std::exception& exception) {
  return failed("the values of key '" + std::string(key.substr(0, kKeyShown)) +
                "' cannot be merged: " + exception.what() + "; 'ontime verify' tells whether the output is damaged");
}

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

}  // namespace ontime::cli
