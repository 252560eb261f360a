#pragma once
// Groups of records and what is taken of each, in memory that does not grow without bound.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apps/aggregate/number.h"
#include "apps/aggregate/plan.h"
#include "apps/aggregate/sketch.h"
#include "apps/text/counted_word.h"
#include "common/app/application.h"

namespace ontime::apps {

// Numbers keys in the order in which they come, from 0.
class KeyTable {
 public:
  KeyTable();

  // REQUIRES: below 2^31 keys. `readable` is true if 16 bytes can be read from the key's begin on.
  [[gnu::always_inline]] std::uint32_t find_or_add(std::string_view key, bool readable) {
    if (!readable || key.size() > kInline) [[unlikely]]
      return find_or_add_any(key);
    const Slot sought = load(key.data(), key.size());
    const Slot& slot = slots_[sought.hash >> shift_];
    const bool is_same = slot.head == sought.head && slot.tail == sought.tail && slot.size == sought.size;
    return is_same ? slot.number - 1 : find_or_add_sought(key, sought);
  }
  std::size_t size() const { return ends_.size(); }
  std::string_view key_of(std::uint32_t number) const {
    const std::size_t begin = number == 0 ? 0 : ends_[number - 1];
    return std::string_view(bytes_).substr(begin, ends_[number] - begin);
  }
  std::size_t memory() const { return slots_.size() * sizeof(Slot) + bytes_.size() + ends_.size() * sizeof(ends_[0]); }
  void clear();

 private:
  static constexpr std::size_t kInline = 16;
  struct Slot {
    std::uint64_t head = 0, tail = 0;  // the first bytes of the key, zeros behind them
    std::uint64_t hash = 0;
    std::uint32_t size = ~std::uint32_t{0};  // of no key
    std::uint32_t number = 0;                // from 1; 0: free
  };
  // The first bytes of a key of at most kInline. REQUIRES: kInline bytes can be read.
  [[gnu::always_inline]] static Slot load(const char* key, std::size_t size) {
    std::uint64_t head, tail;
    std::memcpy(&head, key, 8);
    std::memcpy(&tail, key + 8, 8);
    const auto& mask = kWordMasks<2>[size];
    head &= mask.heads[0];
    tail &= mask.heads[1];
    const std::uint64_t hash = fold_product(head ^ kFirstKey ^ size, tail ^ kSecondKey);
    return {head, tail, hash * kFirstKey, static_cast<std::uint32_t>(size), 0};
  }
  std::uint32_t find_or_add_any(std::string_view key);
  std::uint32_t find_or_add_sought(std::string_view key, const Slot& sought);
  std::uint32_t add(std::string_view key, Slot slot, std::size_t place);
  void grow();

  std::vector<Slot> slots_;
  unsigned shift_;
  std::string bytes_;
  std::vector<std::size_t> ends_;
};

// How the text of a group, or of a value, stands in a key of the output: without tabs and line ends. Keys are in the
// order of their groups, field by field, and behind a group stand its values.
inline constexpr char kValueMark = '\0', kFieldMark = '\1', kEscape = '\2';
void append_escaped(std::string& to, std::string_view text);
std::string unescaped(std::string_view text);

// What is taken of the records of one group.
struct GroupState {
  std::uint64_t records = 0;
  std::vector<std::uint64_t> present;
  std::vector<Totals> totals;
  std::vector<DistinctSketch> sketches;

  explicit GroupState(const Plan& plan)
      : present(plan.present.size()), totals(plan.numbers.size()), sketches(plan.distinct.size()) {}
  void add(const GroupState& other);
  void write(std::string& to) const;
  // Throws std::runtime_error on what was not written so.
  static GroupState parse(const Plan& plan, std::string_view text);
};

class Groups {
 public:
  static constexpr std::size_t kMemoryBytes = 64u << 20;

  // `plan` must outlive this. `memory_bytes` is smaller in tests only.
  explicit Groups(const Plan& plan, std::size_t memory_bytes = kMemoryBytes);

  // The group of a record with these values of Plan::fields. `readable_end`: up to there can be read.
  [[gnu::always_inline]] std::uint32_t group_of(const std::string_view* values, const char* readable_end) {
    std::string_view key;
    if (plan_.by.size() == 1)
      key = values[plan_.by[0]];
    else
      key = joined(values);
    const bool readable = plan_.by.size() == 1 && key.data() != nullptr && key.data() + 16 <= readable_end;
    const std::uint32_t group = keys_.find_or_add(key, readable);
    if (group == records_.size()) begin_group();
    ++records_[group];
    return group;
  }
  // Adds records of the group `key`, and returns where its numbers begin. REQUIRES: no more than one field makes it.
  Totals* add_records(std::string_view key, std::uint64_t count);
  Totals& totals(std::uint32_t group, std::size_t place) { return totals_[group * plan_.numbers.size() + place]; }
  // All but numbers.
  void add_texts(std::uint32_t group, const std::string_view* values);
  bool has_texts() const { return has_texts_; }

  bool is_full() const { return memory_ + values_.memory() > memory_bytes_; }
  // Holds nothing afterwards.
  void flush(app::Output& out);

 private:
  std::string_view joined(const std::string_view* values);
  void begin_group();
  std::string output_key(std::uint32_t group) const;

  const Plan& plan_;
  const std::size_t memory_bytes_;
  const bool has_texts_;
  std::size_t memory_ = 0;  // without values_
  KeyTable keys_;
  std::vector<std::uint64_t> records_;
  std::vector<std::uint64_t> present_;
  std::vector<Totals> totals_;
  std::vector<DistinctSketch> sketches_;
  KeyTable values_;  // of all tops, as keys of the output
  std::vector<std::uint64_t> value_counts_;
  std::string scratch_;
};

}  // namespace ontime::apps
