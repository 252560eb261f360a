// Sorts pairs of whole numbers by the left, then by the right one, and groups them, as Hadoop's example of that name.

#include <charconv>
#include <optional>
#include <stdexcept>
#include <string>

#include "apps/secondarysort/pair_order.h"
#include "apps/sorting/run_buffer.h"

namespace {

using namespace ontime::app;
using namespace ontime::apps;

// What Hadoop's example writes between groups.
const std::string kSeparator(48, '-');

class SecondarySortMapper final : public Mapper {
 public:
  void setup(Context& context) override { context_ = &context; }

  void map(const Batch& batch, Output& out) override {
    for (const Line line : batch.lines()) {
      if (const auto pair = parse(line)) add(*pair, out);
    }
  }
  void flush(Output& out) override { runs_.flush(out); }

 private:
  std::optional<Pair> parse(const Line& line) const try {
    return parse_pair(line.text);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(std::string(error.what()) + ", in the line at byte " + std::to_string(line.offset) +
                             " of " + context_->input_path());
  }

  void add(const Pair& pair, Output& out) {
    char line[2 * 20 + 1];
    char* to = std::to_chars(line, line + 20, pair.left).ptr;
    *to++ = '\t';
    to = std::to_chars(to, to + 20, pair.right).ptr;
    runs_.add({line, static_cast<std::size_t>(to - line)}, out);
  }

  Context* context_ = nullptr;
  PairOrder order_;
  RunBuffer runs_{order_};
};

class SecondarySort final : public Application {
 public:
  std::string description() const override { return "sorts pairs of whole numbers and groups them by the left one"; }
  std::vector<Parameter> parameters() const override {
    return {{"separator", kSeparator, "the line before each group of the answer; empty for none"}};
  }
  void validate(const Parameters& given) const override {
    if (given.get("separator").find('\n') != std::string::npos)
      throw std::invalid_argument("separator must be one line");
  }
  std::unique_ptr<Mapper> make_mapper() const override { return std::make_unique<SecondarySortMapper>(); }
  std::unique_ptr<Order> make_order() const override { return std::make_unique<PairOrder>(); }
};

}  // namespace

ONTIME_APPLICATION(SecondarySort)
