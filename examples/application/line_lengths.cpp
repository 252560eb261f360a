// How many lines there are of each length, in steps of `step` bytes.
#include <charconv>
#include <map>
#include <stdexcept>
#include <string>

#include "common/app/application.h"

namespace {
using namespace ontime::app;

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::invalid_argument("no number: " + std::string(text));
  return value;
}

class LengthMapper final : public Mapper {
 public:
  void setup(Context& context) override { step_ = number(context.get("step")); }
  void map(const Batch& batch, Output&) override {
    for (const Line line : batch.lines()) ++lines_[line.text.size() / step_ * step_];
  }
  void flush(Output& out) override {  // the segment ends here: write what the records since the last flush amount to
    for (const auto& [length, lines] : lines_) out.record(std::to_string(length), std::to_string(lines));
    lines_.clear();
  }

 private:
  std::uint64_t step_ = 1;
  std::map<std::uint64_t, std::uint64_t> lines_;
};

class Sum final : public Merger {
 public:
  void merge(std::string_view, std::span<const std::string_view> values, std::string& merged) override {
    std::uint64_t sum = 0;
    for (const std::string_view value : values) sum += number(value);
    merged = std::to_string(sum);
  }
};

class LineLengths final : public Application {
 public:
  std::string description() const override { return "lines by their length"; }
  std::vector<Parameter> parameters() const override { return {{"step", "1", "width of a class, in bytes"}}; }
  void validate(const Parameters& given) const override {
    if (number(given.get("step")) == 0) throw std::invalid_argument("step must be at least 1");
  }
  std::unique_ptr<Mapper> make_mapper() const override { return std::make_unique<LengthMapper>(); }
  std::unique_ptr<Merger> make_merger() const override { return std::make_unique<Sum>(); }
};
}  // namespace

ONTIME_APPLICATION(LineLengths)
