// Sorts lines. Each segment becomes sorted runs; the answer is their merge.

#include <cstring>
#include <optional>
#include <string_view>

#include "apps/sort/line_order.h"
#include "apps/sorting/run_buffer.h"

namespace {

using namespace ontime::app;
using namespace ontime::apps;

// Lines with all their bytes but the line feed: a carriage return stays, because sorting must not change a record.
template <class Visit>
void for_each_raw_line(std::string_view bytes, Visit&& visit) {
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  while (at != end) {
    const void* feed = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
    const char* const line_end = feed != nullptr ? static_cast<const char*>(feed) : end;
    visit(std::string_view(at, static_cast<std::size_t>(line_end - at)));
    at = feed != nullptr ? line_end + 1 : end;
  }
}

class SortMapper final : public Mapper {
 public:
  void setup(Context& context) override {
    order_.setup(context);
    runs_.emplace(order_);
  }
  void map(const Batch& batch, Output& out) override {
    for_each_raw_line(batch.bytes, [&](std::string_view line) { runs_->add(line, out); });
  }
  void flush(Output& out) override { runs_->flush(out); }

 private:
  LineOrder order_;
  std::optional<RunBuffer> runs_;
};

class Sort final : public Application {
 public:
  std::string description() const override { return "sorts lines, by bytes or numbers, whole or by a field"; }
  std::vector<Parameter> parameters() const override { return LineOrder::parameters(); }
  void validate(const Parameters& given) const override { LineOrder().setup(given); }
  std::unique_ptr<Mapper> make_mapper() const override { return std::make_unique<SortMapper>(); }
  std::unique_ptr<Order> make_order() const override { return std::make_unique<LineOrder>(); }
};

}  // namespace

ONTIME_APPLICATION(Sort)
