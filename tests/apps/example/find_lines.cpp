// The lines that hold a text, each with the offset at which it begins.
#include <stdexcept>
#include <string>

#include "common/app/application.h"

namespace {
using namespace ontime::app;

class FindLinesMapper final : public Mapper {
 public:
  void setup(Context& context) override {
    text_ = context.get("text");
    found_ = &context.counter("find_lines", "found");
  }

  void map(const Batch& batch, Output& out) override {
    if (batch.bytes.find(text_) == std::string_view::npos) return;  // a quick look at all records at once
    for (const Line line : batch.lines()) {
      if (line.text.find(text_) == std::string_view::npos) continue;
      out.record(std::to_string(line.offset), line.text);
      ++*found_;
    }
  }

 private:
  std::string text_;
  std::uint64_t* found_ = nullptr;
};

class FindLines final : public Application {
 public:
  std::string description() const override { return "the lines that hold a text"; }
  std::vector<Parameter> parameters() const override { return {{"text", "", "what to look for"}}; }
  void validate(const Parameters& given) const override {
    if (given.get("text").empty()) throw std::invalid_argument("find_lines needs a text: --set text=...");
  }
  std::unique_ptr<Mapper> make_mapper() const override { return std::make_unique<FindLinesMapper>(); }
};
}  // namespace

ONTIME_APPLICATION(FindLines)
