#include "apps/exec/merge.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "apps/exec/command.h"
#include "common/base/units.h"

namespace ontime::apps {
namespace {

using Values = std::span<const std::string_view>;

bool merges_numbers(std::string_view how) { return how == "sum" || how == "max" || how == "min"; }

// Most numbers are seen at a glance.
bool is_number(std::string_view text) {
  constexpr std::size_t kDigitsSeen = 15;
  const auto is_digit = [](char byte) { return byte >= '0' && byte <= '9'; };
  if (text.empty()) return false;
  return (text.size() <= kDigitsSeen && std::all_of(text.begin(), text.end(), is_digit)) || number_in<double>(text);
}

double number_of(std::string_view text) {
  if (const auto number = number_in<double>(text)) return *number;
  throw std::runtime_error("'" + std::string(text.substr(0, 80)) + "' is no number");
}

template <class Number>
std::string text_of(Number number) {
  char digits[64];
  return {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
}

// Adds whole numbers exactly, others in floating point.
std::string sum_of(Values values) {
  std::int64_t whole = 0;
  bool is_whole = true;
  double sum = 0;
  for (const std::string_view value : values) {
    const auto next = number_in<std::int64_t>(value);
    is_whole = is_whole && next;
    if (is_whole && __builtin_add_overflow(whole, *next, &whole))
      throw std::runtime_error("the sum does not fit into 64 bits");
    sum += number_of(value);
  }
  return is_whole ? text_of(whole) : text_of(sum);
}

// The text of the greatest number, or of the least; of equal numbers always the same text.
std::string extreme_of(Values values, bool wants_greatest) {
  const auto key = [wants_greatest](std::string_view value) {
    return std::pair(wants_greatest ? -number_of(value) : number_of(value), value);
  };
  return std::string(*std::min_element(values.begin(), values.end(), [&](auto a, auto b) { return key(a) < key(b); }));
}

class NumberMerger final : public app::Merger {
 public:
  explicit NumberMerger(char how) : how_(how) {}
  void merge(std::string_view, Values values, std::string& merged) override {
    merged = how_ == '+' ? sum_of(values) : extreme_of(values, how_ == '>');
  }
  // A value that was never merged is held to the same rule.
  void finish(std::string_view key, std::string_view value, app::Output& answer) override {
    static_cast<void>(number_of(value));
    answer.record(key, value);
  }

 private:
  const char how_;  // '+', '>' or '<'
};

// All values of a key in byte order. They are lines, so a line end divides them until the end.
class ListMerger : public app::Merger {
 public:
  void merge(std::string_view, Values values, std::string& merged) override {
    for (const std::string_view& value : values) {
      if (&value != values.data()) merged += '\n';
      merged += value;
    }
  }
  void finish(std::string_view key, std::string_view value, app::Output& answer) override {
    std::string line;
    for (const std::string_view one : sorted(value)) line.append("\t").append(one);
    answer.record(key, std::string_view(line).substr(1));
  }

 protected:
  static std::vector<std::string_view> sorted(std::string_view values) {
    std::vector<std::string_view> list;
    for (std::size_t end = 0; end != values.npos; values.remove_prefix(end == values.npos ? 0 : end + 1)) {
      end = values.find('\n');
      list.push_back(values.substr(0, end));
    }
    std::sort(list.begin(), list.end());
    return list;
  }
};

// As Hadoop Streaming's reducer: the command gets all lines by key, and what it writes is the answer.
class CommandMerger final : public ListMerger {
 public:
  explicit CommandMerger(std::string line) : line_(std::move(line)) {}

  std::string command() const override { return line_; }
  void finish(std::string_view key, std::string_view value, app::Output& answer) override {
    answer_ = &answer;
    start();
    for (const std::string_view one : sorted(value)) {
      buffer_.append(key).append("\t").append(one).append("\n");
      if (buffer_.size() > kBufferBytes) pass_on();
    }
  }
  void finish_all(app::Output& answer) override {
    answer_ = &answer;
    start();
    pass_on();
    command_->finish();
  }

 private:
  static constexpr std::size_t kBufferBytes = 64 << 10;

  void start() {
    if (command_) return;
    command_.emplace(line_, std::vector<std::string>(),
                     Command::Listeners{[this](auto bytes) { answer_->write(bytes); },
                                        [](auto bytes) { std::fwrite(bytes.data(), 1, bytes.size(), stderr); },
                                        [](std::uint64_t) {}});
  }
  void pass_on() {
    command_->send(buffer_);
    buffer_.clear();
  }

  const std::string line_;
  app::Output* answer_ = nullptr;
  std::string buffer_;
  std::optional<Command> command_;
};

}  // namespace

std::unique_ptr<app::Merger> make_merger(const std::string& how) {
  if (how.empty()) return nullptr;
  if (how == "sum") return std::make_unique<NumberMerger>('+');
  if (how == "max") return std::make_unique<NumberMerger>('>');
  if (how == "min") return std::make_unique<NumberMerger>('<');
  if (how == "list") return std::make_unique<ListMerger>();
  return std::make_unique<CommandMerger>(how);
}

NumberLines::NumberLines(std::string_view how) : how_(merges_numbers(how) ? how : "") {}

void NumberLines::add(std::string_view bytes) {
  constexpr std::size_t kValueMost = 64 << 10;
  while (!bytes.empty() && !how_.empty() && refusal_.empty()) {
    const std::size_t end = bytes.find('\n');
    std::string_view part = bytes.substr(0, end);
    const std::size_t tab = has_tab_ ? part.npos : part.find('\t');
    if (tab != part.npos) {
      part.remove_prefix(tab + 1);
      value_.clear();
      has_tab_ = true;
    }
    if (end == bytes.npos || !value_.empty()) {
      value_ += has_tab_ ? part : part.substr(0, kShown - std::min(kShown, value_.size()));
      if (value_.size() > kValueMost) return refuse(value_);
      part = value_;
    }
    if (end == bytes.npos) return;
    if (!has_tab_ || !is_number(part)) return refuse(part);
    has_tab_ = false;
    value_.clear();
    bytes.remove_prefix(end + 1);
  }
}

void NumberLines::check() const {
  if (!refusal_.empty()) throw std::runtime_error(refusal_);
}

void NumberLines::refuse(std::string_view part) {
  refusal_ = "merge=" + how_ + " needs a key, a tab and a number in each line, and the command wrote '" +
             std::string(part.substr(0, kShown)) + (has_tab_ ? "' behind a tab" : "' without a tab");
}

}  // namespace ontime::apps
