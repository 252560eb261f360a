// The records that match patterns, in the order of the input: part files one after another are the answer. Or how many
// match in each file.

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "apps/grep/pattern.h"
#include "apps/text/counts.h"
#include "apps/text/switch.h"

namespace {

using namespace ontime::app;
using namespace ontime::apps;

// What is written of a record, and before it.
struct Shown {
  bool is_inverted = false;
  bool is_counted = false;
  bool is_only_match = false;
  bool has_file = false;
  bool has_offset = false;

  static Shown parse(const Parameters& parameters) {
    Shown shown{parse_switch(parameters, "invert"), parse_switch(parameters, "count"),
                parse_switch(parameters, "only")};
    if (shown.is_inverted && shown.is_only_match)
      throw std::invalid_argument("only=yes shows what matches, and invert=yes asks for records in which nothing does");
    std::string_view rest = parameters.get("with");
    while (!rest.empty()) {
      const std::string_view name = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), name.size() + 1));
      if (name != "file" && name != "offset")
        throw std::invalid_argument("with takes file and offset, with a comma between them, not \"" +
                                    std::string(name) + "\"; nobody knows the number of a line before all are read");
      (name == "file" ? shown.has_file : shown.has_offset) = true;
    }
    return shown;
  }
  bool is_plain() const { return !is_only_match && !has_file && !has_offset; }
};

// What ends a record where it is shown: its own line ends, or a line feed if there are none.
std::string_view end_of(std::string_view record, std::string_view text) {
  if (!text.empty() && text.data() != record.data()) return "\n";
  const std::string_view end = record.substr(text.size());
  const bool has_own = end.ends_with('\n') && end.find_first_not_of("\r\n") == std::string_view::npos;
  return has_own ? end : end.empty() && text.ends_with('\n') ? end : "\n";
}

class GrepMapper final : public Mapper {
 public:
  void setup(Context& context) override {
    context_ = &context;
    shown_ = Shown::parse(context);
    patterns_ = read_patterns(context);
    options_ = PatternOptions::parse(context);
    matched_ = &context.counter("grep", "records");
  }

  void begin_segment(std::uint64_t) override {
    counted_ = 0;
    file_ = context_->input_path();
  }

  void map(const Batch& batch, Output& out) override {
    if (!pattern_) {
      are_lines_ = batch.format->shape().kind == RecordShape::Kind::Lines;
      pattern_.emplace(patterns_, options_, are_lines_ ? Pattern::Kind::Lines : Pattern::Kind::Others);
    }
    const bool has_return = std::memchr(batch.bytes.data(), '\r', batch.bytes.size()) != nullptr;
    if (are_lines_ && pattern_->is_local() && !has_return)
      map_lines(batch, out);
    else if (shown_.is_inverted || !pattern_->is_nowhere_in(batch.bytes))
      map_records(batch, out);
  }

  void flush(Output& out) override {
    if (shown_.is_counted) {
      std::replace_if(
          file_.begin(), file_.end(), [](char c) { return c == '\t' || c == '\n'; }, '_');
      out.record(file_, std::to_string(counted_));
    }
    *matched_ += counted_;
    counted_ = 0;
  }

 private:
  void map_records(const Batch& batch, Output& out) {
    const Records records = batch.records();
    for (auto at = records.begin(); at != records.end(); ++at) {
      const Record record = *at;
      if (pattern_->matches(record.text) == shown_.is_inverted) continue;
      ++counted_;
      if (!shown_.is_counted) show(record, batch.bytes.substr(record.offset - batch.offset, at.size()), out);
    }
  }

  // From one match to the next; what lies between is never divided into lines unless it is shown.
  void map_lines(const Batch& batch, Output& out) {
    const std::string_view bytes = batch.bytes;
    for (std::size_t from = 0; from < bytes.size();) {
      const std::size_t at = pattern_->find_line(bytes, from);
      const bool is_found = at != std::string_view::npos;
      const std::size_t feed = at == 0 || !is_found ? std::string_view::npos : bytes.rfind('\n', at - 1);
      const std::size_t begin = !is_found ? bytes.size() : feed == std::string_view::npos ? 0 : feed + 1;
      const std::size_t end = std::min(bytes.find('\n', is_found ? at : bytes.size()), bytes.size() - 1) + 1;
      if (shown_.is_inverted)
        take_lines(batch, from, begin, out);
      else if (is_found)
        take_lines(batch, begin, end, out);
      from = end;
    }
  }

  void take_lines(const Batch& batch, std::size_t begin, std::size_t end, Output& out) {
    const std::string_view bytes = batch.bytes.substr(begin, end - begin);
    if (bytes.empty()) return;
    counted_ += static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), '\n'));
    if (!bytes.ends_with('\n')) ++counted_;
    if (shown_.is_counted) return;
    if (shown_.is_plain()) {
      out.write(bytes);
      if (!bytes.ends_with('\n')) out.write("\n");
      return;
    }
    const Records records(bytes, batch.offset + begin, *batch.format);
    for (auto at = records.begin(); at != records.end(); ++at)
      show(*at, batch.bytes.substr((*at).offset - batch.offset, at.size()), out);
  }

  void show(const Record& record, std::string_view whole, Output& out) {
    if (!shown_.is_only_match) {
      // Where its text begins behind blanks of its own.
      show_prefix(record.offset, out);
      out.write(record.text);
      out.write(end_of(whole, record.text));
      return;
    }
    for (std::size_t from = 0; from <= record.text.size();) {
      const auto [begin, end] = pattern_->find(record.text, from);
      if (begin == std::string_view::npos) return;
      from = std::max(end, from + 1);
      if (begin == end) continue;
      show_prefix(record.offset + static_cast<std::uint64_t>(record.text.data() - whole.data()) + begin, out);
      out.write(record.text.substr(begin, end - begin));
      out.write("\n");
    }
  }

  void show_prefix(std::uint64_t offset, Output& out) const {
    if (shown_.has_file) {
      out.write(file_);
      out.write(":");
    }
    if (!shown_.has_offset) return;
    char* const to = out.reserve(kMaxDecimal + 1);
    char* const end = write_decimal(to, offset);
    *end = ':';
    out.commit(static_cast<std::size_t>(end + 1 - to));
  }

  Context* context_ = nullptr;
  Shown shown_;
  PatternOptions options_;
  std::vector<std::string> patterns_;
  std::optional<Pattern> pattern_;  // once it is known what the records are
  bool are_lines_ = false;
  std::string file_;
  std::uint64_t counted_ = 0;
  std::uint64_t* matched_ = nullptr;
};

class Grep final : public Application {
 public:
  std::string description() const override { return "the records that match a pattern, or how many in each file"; }
  std::vector<Parameter> parameters() const override {
    return {{"pattern", "", "what to look for, a pattern of RE2 a line (this or patterns is needed)"},
            {"patterns", "", "file with a pattern a line; every worker reads it"},
            {"fixed", "no", "patterns are texts: yes or no"},
            {"ignore-case", "no", "upper and lower case are the same: yes or no"},
            {"word", "no", "only whole words match: yes or no"},
            {"bytes", "no", "a character is a byte, and not UTF-8: yes or no"},
            {"invert", "no", "the records that do not match: yes or no"},
            {"count", "no", "how many records, for each file: yes or no"},
            {"only", "no", "only what matches, a line each: yes or no"},
            {"with", "", "what stands before each: file, offset, or file,offset"}};
  }
  void validate(const Parameters& given) const override {
    Shown::parse(given);
    const std::string& path = given.get("patterns");
    // The workers may have it where this machine does not.
    if (!path.empty() && !std::filesystem::is_regular_file(path)) return;
    Pattern(read_patterns(given), PatternOptions::parse(given), Pattern::Kind::Others);
  }
  std::unique_ptr<Mapper> make_mapper() const override { return std::make_unique<GrepMapper>(); }
  // Without it, part files are the answer.
  std::unique_ptr<Merger> merger_for(const Parameters& given) const override {
    return given.get("count") == "yes" ? std::make_unique<SumMerger>() : nullptr;
  }
};

}  // namespace

ONTIME_APPLICATION(Grep)
