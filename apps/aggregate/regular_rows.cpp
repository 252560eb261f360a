#include "apps/aggregate/regular_rows.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "apps/aggregate/number.h"
#include "apps/text/counted_word.h"

namespace ontime::apps {
namespace {

constexpr std::uint64_t kOthersAtFirst = 64, kBytesForOther = 256;  // with more, it costs more than it saves
constexpr std::ptrdiff_t kReadBefore = 8, kReadBehind = 24;         // bytes around a field
using KeyWords =
    std::array<std::uint64_t, 3>;  // zeros behind the key; in the last byte its size and 1, so that none is all zeros
constexpr std::size_t kMostKeyBytes = sizeof(KeyWords) - 1;
constexpr std::size_t kSlotsAtFirst = 4096, kAmpleSlots = 16384, kMostGroups = 1 << 15;

struct NumberColumn {
  std::size_t column;
  FixedForm form;
};

struct RowForm {
  std::size_t fields = 1;
  std::size_t returns = 0;  // bytes between the last field and the line feed: a carriage return or none
  std::optional<std::size_t> key;
  std::vector<NumberColumn> numbers;
};

// A group and its numbers, each of at most eight digits: no input is long enough for a sum to overflow.
template <std::size_t Numbers>
struct alignas(64) Slot {
  struct Kept {
    std::int64_t sum = 0;
    std::int32_t min = std::numeric_limits<std::int32_t>::max(), max = std::numeric_limits<std::int32_t>::min();

    void add(std::int32_t value) {
      sum += value;
      min = std::min(min, value);
      max = std::max(max, value);
    }
  };
  KeyWords key{};
  std::uint64_t count = 0;
  std::array<Kept, Numbers> numbers;
};

// Groups with keys of at most kMostKeyBytes.
template <std::size_t Numbers>
class SlotTable {
 public:
  SlotTable() : slots_(kSlotsAtFirst) {}

  // Nothing for a longer key, and for a new one when there are kMostGroups. REQUIRES: kReadBehind bytes can be read
  // from the key's begin on.
  [[gnu::always_inline]] Slot<Numbers>* find_or_add(std::string_view key) {
    if (key.size() > kMostKeyBytes) [[unlikely]]
      return nullptr;
    const KeyWords words = load(key);
    Slot<Numbers>& slot = slots_[hash_of(words) & last_];
    return is_same(slot.key, words) ? &slot : find_or_add_any(key);
  }
  bool is_full() const { return used_ >= kMostGroups; }

  // Calls visit(key, slot) for each group, and holds none afterwards.
  template <class Visit>
  void drain(Visit visit) {
    if (used_ == 0) return;
    for (const Slot<Numbers>& slot : slots_) {
      if (slot.count > 0)
        visit({reinterpret_cast<const char*>(slot.key.data()), (slot.key.back() >> kSizeBit) - 1}, slot);
    }
    slots_.assign(kSlotsAtFirst, {});
    last_ = kSlotsAtFirst - 1;
    used_ = 0;
  }

 private:
  static constexpr int kSizeBit = 56;
  [[gnu::always_inline]] static bool is_same(const KeyWords& a, const KeyWords& b) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
  }
  [[gnu::always_inline]] static KeyWords load(std::string_view key) {
    KeyWords words;
    std::memcpy(words.data(), key.data(), sizeof words);
    const auto& masks = kWordMasks<std::tuple_size_v<KeyWords>>[key.size()];
    for (std::size_t i = 0; i < words.size(); ++i) words[i] &= masks.heads[i];
    words.back() |= std::uint64_t{key.size() + 1} << kSizeBit;
    return words;
  }
  [[gnu::always_inline]] static std::uint64_t hash_of(const KeyWords& words) {
    return fold_product(words[0] ^ kFirstKey, (words[1] + words[2] * kFirstKey) ^ kSecondKey);
  }
  // The group's slot, or the free one that it would have.
  Slot<Numbers>& place_of(const KeyWords& words) {
    for (std::size_t place = hash_of(words);; ++place) {
      Slot<Numbers>& slot = slots_[place & last_];
      if (slot.count == 0 || is_same(slot.key, words)) return slot;
    }
  }
  [[gnu::noinline]] Slot<Numbers>* find_or_add_any(std::string_view key) {
    const KeyWords words = load(key);
    Slot<Numbers>* slot = &place_of(words);
    if (slot->count > 0) return slot;
    if (is_full()) return nullptr;
    if (++used_ * (slots_.size() < kAmpleSlots ? 16 : 4) > slots_.size()) {  // most keys are where their hash says
      grow();
      slot = &place_of(words);
    }
    slot->key = words;
    return slot;
  }
  void grow() {
    std::vector<Slot<Numbers>> before(4 * slots_.size());
    swap(before, slots_);
    last_ = slots_.size() - 1;
    for (const Slot<Numbers>& slot : before) {
      if (slot.count > 0) place_of(slot.key) = slot;
    }
  }

  std::vector<Slot<Numbers>> slots_;
  std::size_t last_ = kSlotsAtFirst - 1;
  std::size_t used_ = 0;
};

// Behind the line's line feed, or the end of the text.
const char* line_end(const char* line, const char* end) {
  const void* const feed = std::memchr(line, '\n', static_cast<std::size_t>(end - line));
  return feed == nullptr ? end : static_cast<const char*>(feed) + 1;
}

template <std::size_t Numbers>
class RowsOfForm final : public RegularRows {
 public:
  RowsOfForm(RowForm form, InstructionSet set) : form_(std::move(form)), uses_avx2_(set >= InstructionSet::Avx2) {}

  void add(std::string_view bytes, FieldEnds& ends, const Other& other) override {
    bytes_ += bytes.size();
#ifdef __x86_64__
    if (uses_avx2_)
      add_avx2(bytes, ends, other);
    else
#endif
      add_any(bytes, ends, other);
  }
  bool is_of_use() const override { return !table_.is_full() && others_ <= kOthersAtFirst + bytes_ / kBytesForOther; }

  void drain(Groups& groups) override {
    table_.drain([&](std::string_view key, const Slot<Numbers>& slot) {
      Totals* const totals = groups.add_records(key, slot.count);
      for (std::size_t i = 0; i < Numbers; ++i) {
        const auto& kept = slot.numbers[i];
        totals[i].add(Totals(slot.count, kept.sum, kept.min, kept.max, form_.numbers[i].form.decimals()));
      }
    });
  }

 private:
  void add_any(std::string_view bytes, FieldEnds& ends, const Other& other) { add_rows(bytes, ends, other); }
#ifdef __x86_64__
  ONTIME_TARGET_AVX2 void add_avx2(std::string_view bytes, FieldEnds& ends, const Other& other) {
    add_rows(bytes, ends, other);
  }
#endif

  [[gnu::always_inline]] void add_rows(std::string_view bytes, FieldEnds& ends, const Other& other) {
    const char* const end = bytes.data() + bytes.size();
    const char* line = bytes.data();
    while (line < end && line - bytes.data() < kReadBefore) line = give(line, end, other);
    while (end - line > kReadBehind) {
      const auto readable = static_cast<std::size_t>(end - line - kReadBehind);
      const auto places = ends.find({line, std::min(FieldEnds::kMaxBytes, readable)});
      const char* const next = add_chunk(line, places, end, other);
      line = next > line ? next : give(line, end, other);  // longer than what is looked at at once
    }
    while (line < end) line = give(line, end, other);
  }

  // The rows that end at `places` of what begins at `from`. Returns the begin of the next one.
  [[gnu::always_inline]] const char* add_chunk(const char* from, std::span<const std::int32_t> places, const char* end,
                                               const Other& other) {
    const std::int32_t* row = places.data();
    const std::int32_t* const last = row + places.size();
    const char* line = from;
    for (;;) {
      const std::size_t rows = add_alike(from, row, static_cast<std::size_t>(last - row) / form_.fields);
      row += rows * form_.fields;
      if (row == last || std::find_if(row, last, [&](auto place) { return from[place] == '\n'; }) == last) break;
      line = give(from + row[-1] + 1, end, other);
      while (row < last && from + *row < line) ++row;
    }
    return std::max(line, from + row[-1] + 1);
  }

  // Adds rows from the one whose fields end at `ends` on, at most `most`, up to the first of another form. Returns how
  // many. In several loops, each of which needs few registers.
  [[gnu::always_inline]] std::size_t add_alike(const char* from, const std::int32_t* ends, std::size_t most) {
    std::size_t rows = regular_rows(from, ends, most);
    for (std::size_t i = 0; i < Numbers; ++i) rows = parse_column(from, ends, rows, i);
    const std::size_t fields = form_.fields;
    const std::int32_t* end = ends + (form_.key ? *form_.key : 0);
    const auto left_out = static_cast<std::int32_t>(form_.key ? 1 + returns_of(*form_.key) : 0);
    for (std::size_t row = 0; row < rows; ++row, end += fields) {
      const std::int32_t begin = end[-1];
      const std::size_t size = form_.key ? static_cast<std::size_t>(end[0] - begin - left_out) : 0;
      Slot<Numbers>* const slot = table_.find_or_add({from + begin + 1, size});
      if (slot == nullptr) [[unlikely]]
        return row;
      ++slot->count;
      for (std::size_t i = 0; i < Numbers; ++i) slot->numbers[i].add(digits_[i][row]);
    }
    return rows;
  }

  std::size_t returns_of(std::size_t column) const { return column + 1 == form_.fields ? form_.returns : 0; }

  // How many rows from the one at `ends` on, at most `most`, have as many fields as the form.
  [[gnu::always_inline]] std::size_t regular_rows(const char* from, const std::int32_t* ends, std::size_t most) const {
    const std::size_t last = form_.fields - 1;
    const bool has_returns = form_.returns != 0;
    for (std::size_t row = 0; row < most; ++row, ends += last + 1) {
      bool is_so = from[ends[last]] == '\n' && (from[ends[last] - 1] == '\r') == has_returns;
      for (std::size_t i = 0; i < last; ++i) is_so &= from[ends[i]] != '\n';
      if (!is_so) return row;
    }
    return most;
  }

  // Reads column `number` of the form's numbers. Returns how many rows have one of the form.
  [[gnu::always_inline]] std::size_t parse_column(const char* from, const std::int32_t* ends, std::size_t rows,
                                                  std::size_t number) {
    const FixedForm form = form_.numbers[number].form;
    const std::size_t fields = form_.fields, column = form_.numbers[number].column;
    const auto returns = static_cast<std::int32_t>(returns_of(column));
    std::int32_t* const digits = digits_[number].data();
    for (std::size_t row = 0; row < rows;) {
      std::size_t last = rows;
#ifdef __x86_64__
      if (uses_avx2_) {
        row += form.parse_fours(from, ends + column + row * fields, fields, returns, rows - row, digits + row);
        last = std::min(rows, row + 4);
      }
#endif
      for (; row < last; ++row) {
        const std::int32_t* const end = ends + column + row * fields;
        const std::int32_t begin = end[-1] + 1;
        if (!form.parse({from + begin, static_cast<std::size_t>(end[0] - returns - begin)}, digits[row])) return row;
      }
    }
    return rows;
  }

  [[gnu::noinline]] const char* give(const char* line, const char* end, const Other& other) {
    const char* const next = line_end(line, end);
    other({line, static_cast<std::size_t>(next - line)});
    ++others_;
    return next;
  }

  const RowForm form_;
  const bool uses_avx2_;
  SlotTable<Numbers> table_;
  std::array<std::array<std::int32_t, FieldEnds::kMaxBytes>, Numbers> digits_;  // of the rows that are looked at
  std::uint64_t bytes_ = 0, others_ = 0;  // that were given to it; lines among them that were not of the form
};

int decimals_of(std::string_view number) {
  const std::size_t point = number.find('.');
  return point == number.npos ? 0 : static_cast<int>(number.size() - point - 1);
}

std::vector<std::string_view> fields_of(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  for (std::size_t end = 0; end != line.npos; line.remove_prefix(std::min(line.size(), fields.back().size() + 1))) {
    end = line.find(separator);
    fields.push_back(line.substr(0, end));
  }
  return fields;
}

}  // namespace

std::unique_ptr<RegularRows> RegularRows::find(const Plan& plan, const Columns& columns, char separator,
                                               std::string_view line, InstructionSet set) {
  const bool has_texts = !plan.present.empty() || !plan.distinct.empty() || !plan.tops.empty();
  RowForm form;
  form.returns = line.ends_with('\r') ? 1 : 0;
  line.remove_suffix(form.returns);
  const std::vector<std::string_view> fields = fields_of(line, separator);
  if (plan.by.size() > 1 || has_texts || columns.size() > fields.size()) return nullptr;
  form.fields = fields.size();
  std::vector<std::size_t> column_of(plan.fields.size());
  for (std::size_t column = 0; column < columns.size(); ++column) {
    if (columns[column] > 0) column_of[columns[column] - 1] = column;
  }
  if (!plan.by.empty()) form.key = column_of[plan.by[0]];
  for (const std::size_t number : plan.numbers) {
    const std::size_t column = column_of[number];
    const int decimals = decimals_of(fields[column]);
    if (decimals > FixedForm::kMostDecimals) return nullptr;
    form.numbers.push_back({column, FixedForm(decimals)});
  }
  switch (plan.numbers.size()) {
    case 0:
      return std::make_unique<RowsOfForm<0>>(std::move(form), set);
    case 1:
      return std::make_unique<RowsOfForm<1>>(std::move(form), set);
    case 2:
      return std::make_unique<RowsOfForm<2>>(std::move(form), set);
    case 3:
      return std::make_unique<RowsOfForm<3>>(std::move(form), set);
    default:
      return nullptr;
  }
}

}  // namespace ontime::apps
