// Counts, sums, extremes, means, distinct and frequent values of fields, in groups of records.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/aggregate/answer.h"
#include "apps/aggregate/fields.h"
#include "apps/aggregate/groups.h"
#include "apps/aggregate/json_fields.h"
#include "apps/aggregate/plan.h"
#include "apps/aggregate/regular_rows.h"
#include "common/app/record_format.h"

namespace {

using namespace ontime::app;
using namespace ontime::apps;

class AggregateMapper final : public Mapper {
 public:
  void setup(Context& context) override {
    context_ = &context;
    check_field_format(context);
    plan_ = Plan::parse(context);
    groups_.emplace(plan_);
    values_.resize(plan_.fields.size());
    left_out_ = &context.counter("aggregate", "values left out");
  }

  void begin_segment(std::uint64_t) override { has_columns_ = false; }

  void map(const Batch& batch, Output& out) override {
    if (!format_) {
      format_ = FieldFormat::find(*context_, *batch.format);
      const auto kind = batch.format->shape().kind;
      is_csv_ = kind == RecordShape::Kind::Csv;
      are_lines_ = kind == RecordShape::Kind::Lines || is_csv_;  // where there is no quote
      ends_.emplace(format_->separator);
      other_ends_.emplace(format_->separator);
      if (format_->kind == FieldKind::Json) json_.emplace(plan_.fields);
    }
    if (!json_ && !std::exchange(has_columns_, true)) {
      columns_ = find_columns(plan_.fields, context_->header(), format_->separator, batch.offset);
      regular_ = RegularRows::find(plan_, columns_, format_->separator, batch.bytes.substr(0, batch.bytes.find('\n')));
    }
    if (json_ || !are_lines_)
      map_records(batch);
    else if (format_->kind == FieldKind::Csv)
      map_csv(batch);
    else
      map_lines(batch, batch.bytes);
    if (groups_->is_full()) groups_->flush(out);
  }

  void flush(Output& out) override {
    if (regular_) regular_->drain(*groups_);
    groups_->flush(out);
  }

 private:
  // Lines without a quote together, and each row that holds some on its own.
  void map_csv(const Batch& batch) {
    const char* const end = batch.bytes.data() + batch.bytes.size();
    for (std::string_view left = batch.bytes; !left.empty();) {
      const std::size_t quote = left.find('"');
      if (quote == left.npos) return map_lines(batch, left);
      const std::size_t lines = left.substr(0, quote).rfind('\n') + 1;
      if (lines > 0) map_lines(batch, left.substr(0, lines));
      left.remove_prefix(lines);
      const std::string_view row = left.substr(0, row_size(left, quote - lines));
      const bool are_there = divide_row(batch.format->text(row), *format_, columns_, values_, unquoted_);
      add(are_there ? end : nullptr,
          [&] { return batch.offset + static_cast<std::uint64_t>(row.data() - batch.bytes.data()); });
      left.remove_prefix(row.size());
    }
  }

  // Of the row that `bytes` begin with, whose first quote stands there. A whole row of CSV holds quotes in pairs.
  std::size_t row_size(std::string_view bytes, std::size_t quote) const {
    bool is_quoted = false;
    for (std::size_t at = quote;; ++at) {
      const std::size_t feed = std::min(bytes.find('\n', at), bytes.size());
      if (is_csv_) is_quoted ^= std::count(bytes.begin() + at, bytes.begin() + feed, '"') % 2 != 0;
      if (!is_quoted || feed == bytes.size()) return std::min(feed + 1, bytes.size());
      at = feed;
    }
  }

  // Lines of the batch.
  void map_lines(const Batch& batch, std::string_view lines) {
    if (!regular_) return map_any_lines(batch, lines);
    regular_->add(lines, *ends_, [&](std::string_view line) { map_any_lines(batch, line); });
    if (regular_->is_of_use()) return;
    regular_->drain(*groups_);
    regular_.reset();
  }

  // Lines of any form, which stand in the batch.
  void map_any_lines(const Batch& batch, std::string_view lines) {
    const char* const begin = batch.bytes.data();
    const char* const end = begin + batch.bytes.size();
    for_each_row(lines, *other_ends_, columns_, values_, [&](const char* line) {
      add(end, [&] { return batch.offset + static_cast<std::uint64_t>(line - begin); });
    });
  }

  void map_records(const Batch& batch) {
    const char* const end = batch.bytes.data() + batch.bytes.size();
    for (const Record record : batch.records()) {
      const auto offset = [&] { return record.offset; };
      if (json_) {
        if (const std::string wrong = json_->divide(record.text, end, values_); !wrong.empty()) {
          leave_out(record.offset, "is no object of JSON that can be read: " + wrong);
          continue;
        }
      } else {
        divide_row(record.text, *format_, columns_, values_, unquoted_);
      }
      add(json_ ? kEverywhere : nullptr, offset);
    }
  }

  // One record, whose fields are in values_. `offset`: asked for where it stands.
  template <class Offset>
  void add(const char* readable_end, Offset&& offset) {
    const std::uint32_t group = groups_->group_of(values_.data(), readable_end);
    for (std::size_t i = 0; i < plan_.numbers.size(); ++i) {
      const std::string_view text = values_[plan_.numbers[i]];
      std::int64_t digits;
      int decimals;
      const bool is_short = text.size() - 1 < 8 && text.data() + 8 <= readable_end;
      if (is_short && parse_short_number(text.data(), text.size(), digits, decimals)) [[likely]]
        groups_->totals(group, i).add(digits, decimals);
      else if (!text.empty())
        add_number(group, i, text, offset);
    }
    if (groups_->has_texts()) groups_->add_texts(group, values_.data());
  }

  template <class Offset>
  [[gnu::noinline]] void add_number(std::uint32_t group, std::size_t place, std::string_view text, Offset& offset) {
    if (const auto number = parse_number(text))
      groups_->totals(group, place).add(*number);
    else
      leave_out(offset(), "has no number below 10^20 in the field " + plan_.fields[plan_.numbers[place]] + ": \"" +
                              std::string(text.substr(0, 64)) + "\"");
  }

  // `why` goes on after "the record at byte 17 of FILE ".
  void leave_out(std::uint64_t offset, const std::string& why) {
    if (!plan_.skips_bad) throw BadRecord(offset, why + "; --set bad=skip leaves it out");
    if ((*left_out_)++ != 0) return;
    context_->set_status("left out: the record at byte " + std::to_string(offset) + " of " + context_->input_path() +
                         " " + why);
  }

  // Values of JSON stand in bytes that simdjson wants room behind, be it the record, its copy or an unescaped text.
  static inline const char* const kEverywhere = reinterpret_cast<const char*>(~std::uintptr_t{0});

  Context* context_ = nullptr;
  Plan plan_;
  std::optional<FieldFormat> format_;  // once it is known what the records are
  bool is_csv_ = false, are_lines_ = false;
  bool has_columns_ = false;
  Columns columns_;
  std::unique_ptr<RegularRows> regular_;  // while it is of use in the segment
  std::optional<FieldEnds> ends_, other_ends_;
  std::optional<JsonFields> json_;
  std::optional<Groups> groups_;
  std::vector<std::string_view> values_;
  std::vector<std::string> unquoted_;
  std::uint64_t* left_out_ = nullptr;
};

class Aggregate final : public Application {
 public:
  std::string description() const override { return "counts, sums and other aggregates of fields, by other fields"; }
  std::vector<Parameter> parameters() const override {
    return {
        {"by", "", "fields that make a group: numbers from 1, or names, as in 1,3; empty: all is one group"},
        {"take", "count", "what is taken: count, count(F), sum(F), min(F), max(F), mean(F), distinct(F), top(F,10)"},
        {"format", "", "what fields are: separated, csv or json; empty: as --records says"},
        {"separator", "", "the byte between fields; empty: a tab, or as --records csv says"},
        {"bad", "fail", "what is done about a value that is no number: fail or skip"}};
  }
  void validate(const Parameters& given) const override {
    Plan::parse(given);
    check_field_format(given);
  }
  std::unique_ptr<Mapper> make_mapper() const override { return std::make_unique<AggregateMapper>(); }
  std::unique_ptr<Merger> make_merger() const override { return std::make_unique<GroupMerger>(); }
};

}  // namespace

ONTIME_APPLICATION(Aggregate)
