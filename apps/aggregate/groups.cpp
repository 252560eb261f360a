#include "apps/aggregate/groups.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "apps/text/counts.h"

namespace ontime::apps {
namespace {

constexpr std::size_t kFirstSlots = 1024;
constexpr char kEscapedBase = 0x10;

std::string_view take_word(std::string_view& text) {
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(std::min(text.size(), word.size() + 1));
  return word;
}

template <class T>
T value_or_refuse(std::optional<T> value) {
  if (!value)
    throw std::runtime_error(
        "a line of a part file is no group's; the part files were not written by this application, "
        "or for other parameters");
  return std::move(*value);
}

}  // namespace

KeyTable::KeyTable() : slots_(kFirstSlots), shift_(64 - static_cast<unsigned>(std::countr_zero(kFirstSlots))) {}

std::uint32_t KeyTable::find_or_add_any(std::string_view key) {
  char first[kInline] = {};
  const std::size_t size = std::min(kInline, key.size());
  if (size > 0) std::memcpy(first, key.data(), size);
  Slot sought = load(first, size);
  for (std::size_t at = kInline; at < key.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, key.data() + at, std::min<std::size_t>(8, key.size() - at));
    sought.hash = (fold_product(sought.hash ^ kFirstKey, word ^ kSecondKey) + word) * kFirstKey;
  }
  sought.size = static_cast<std::uint32_t>(key.size());
  return find_or_add_sought(key, sought);
}

std::uint32_t KeyTable::find_or_add_sought(std::string_view key, const Slot& sought) {
  for (std::size_t place = sought.hash >> shift_;; place = (place + 1) & (slots_.size() - 1)) {
    const Slot& slot = slots_[place];
    if (slot.number == 0) return add(key, sought, place);
    if (slot.hash == sought.hash && slot.size == sought.size && key_of(slot.number - 1) == key) return slot.number - 1;
  }
}

std::uint32_t KeyTable::add(std::string_view key, Slot slot, std::size_t place) {
  bytes_ += key;
  ends_.push_back(bytes_.size());
  slot.number = static_cast<std::uint32_t>(ends_.size());
  slots_[place] = slot;
  if (4 * ends_.size() > slots_.size()) grow();  // few keys that are not where their hash says
  return slot.number - 1;
}

void KeyTable::grow() {
  std::vector<Slot> before(4 * slots_.size());
  swap(before, slots_);
  shift_ -= 2;
  for (const Slot& slot : before) {
    if (slot.number == 0) continue;
    std::size_t place = slot.hash >> shift_;
    while (slots_[place].number != 0) place = (place + 1) & (slots_.size() - 1);
    slots_[place] = slot;
  }
}

void KeyTable::clear() {
  if (!ends_.empty()) std::fill(slots_.begin(), slots_.end(), Slot{});
  bytes_.clear();
  ends_.clear();
}

void append_escaped(std::string& to, std::string_view text) {
  for (const char byte : text) {
    const bool is_special = static_cast<unsigned char>(byte) <= kEscape || byte == '\t' || byte == '\n';
    if (is_special) to += kEscape;
    to += is_special ? static_cast<char>(byte + kEscapedBase) : byte;
  }
}

std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_special = text[i] == kEscape && i + 1 < text.size();
    plain += is_special ? static_cast<char>(text[++i] - kEscapedBase) : text[i];
  }
  return plain;
}

void GroupState::add(const GroupState& other) {
  records += other.records;
  for (std::size_t i = 0; i < present.size(); ++i) present[i] += other.present[i];
  for (std::size_t i = 0; i < totals.size(); ++i) totals[i].add(other.totals[i]);
  for (std::size_t i = 0; i < sketches.size(); ++i) sketches[i].add(other.sketches[i]);
}

void GroupState::write(std::string& to) const {
  to += std::to_string(records);
  for (const std::uint64_t count : present) to += ' ' + std::to_string(count);
  for (const Totals& one : totals) one.write(to += ' ');
  for (const DistinctSketch& one : sketches) one.write(to += ' ');
}

GroupState GroupState::parse(const Plan& plan, std::string_view text) {
  GroupState state(plan);
  state.records = parse_count("a group", take_word(text));
  for (std::uint64_t& count : state.present) count = parse_count("a group", take_word(text));
  for (Totals& one : state.totals) one = value_or_refuse(Totals::parse(take_word(text)));
  for (DistinctSketch& one : state.sketches) one = value_or_refuse(DistinctSketch::parse(take_word(text)));
  if (!text.empty()) value_or_refuse(std::optional<int>());
  return state;
}

Groups::Groups(const Plan& plan, std::size_t memory_bytes)
    : plan_(plan),
      memory_bytes_(memory_bytes),
      has_texts_(!plan.present.empty() || !plan.distinct.empty() || !plan.tops.empty()) {}

Totals* Groups::add_records(std::string_view key, std::uint64_t count) {
  const std::uint32_t group = keys_.find_or_add(key, false);
  if (group == records_.size()) begin_group();
  records_[group] += count;
  return totals_.data() + group * plan_.numbers.size();
}

std::string_view Groups::joined(const std::string_view* values) {
  scratch_.clear();
  for (const std::size_t field : plan_.by) {
    if (field != plan_.by.front()) scratch_ += kFieldMark;
    append_escaped(scratch_, values[field]);
  }
  return scratch_;
}

void Groups::begin_group() {
  records_.push_back(0);
  present_.resize(records_.size() * plan_.present.size());
  totals_.resize(records_.size() * plan_.numbers.size());
  sketches_.resize(records_.size() * plan_.distinct.size());
  memory_ = keys_.memory() +
            records_.size() * (sizeof records_[0] + plan_.present.size() * sizeof present_[0] +
                               plan_.numbers.size() * sizeof totals_[0] + plan_.distinct.size() * sizeof sketches_[0]);
}

void Groups::add_texts(std::uint32_t group, const std::string_view* values) {
  for (std::size_t i = 0; i < plan_.present.size(); ++i)
    present_[group * plan_.present.size() + i] += values[plan_.present[i]].empty() ? 0 : 1;
  for (std::size_t i = 0; i < plan_.distinct.size(); ++i) {
    const std::string_view value = values[plan_.distinct[i]];
    if (!value.empty()) memory_ += sketches_[group * plan_.distinct.size() + i].add(value);
  }
  for (std::size_t i = 0; i < plan_.tops.size(); ++i) {
    const std::string_view value = values[plan_.tops[i]];
    if (value.empty()) continue;
    std::string key = output_key(group);
    key += kValueMark;
    key += static_cast<char>('0' + i);
    append_escaped(key, value);
    const std::uint32_t number = values_.find_or_add(key, false);
    if (number == value_counts_.size()) value_counts_.push_back(0);
    ++value_counts_[number];
  }
}

std::string Groups::output_key(std::uint32_t group) const {
  const std::string_view key = keys_.key_of(group);
  if (plan_.by.size() != 1) return std::string(key);
  std::string escaped;
  append_escaped(escaped, key);
  return escaped;
}

void Groups::flush(app::Output& out) {
  std::string text;
  for (std::uint32_t group = 0; group < records_.size(); ++group) {
    GroupState state(plan_);
    state.records = records_[group];
    for (std::size_t i = 0; i < state.present.size(); ++i)
      state.present[i] = present_[group * state.present.size() + i];
    for (std::size_t i = 0; i < state.totals.size(); ++i) state.totals[i] = totals(group, i);
    for (std::size_t i = 0; i < state.sketches.size(); ++i)
      state.sketches[i] = std::move(sketches_[group * state.sketches.size() + i]);
    text.clear();
    state.write(text);
    out.record(output_key(group), text);
  }
  for (std::uint32_t number = 0; number < value_counts_.size(); ++number)
    out.record(values_.key_of(number), std::to_string(value_counts_[number]));
  keys_.clear();
  values_.clear();
  for (auto* const counts : {&records_, &present_, &value_counts_}) counts->clear();
  totals_.clear();
  sketches_.clear();
  memory_ = 0;
}

}  // namespace ontime::apps
