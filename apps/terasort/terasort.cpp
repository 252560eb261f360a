// Sorts the 100-byte records of the TeraSort benchmark by their ten-byte keys. Each segment becomes sorted runs; the
// answer is their merge.

#include "apps/sorting/run_buffer.h"
#include "common/app/application.h"

namespace {

using namespace ontime::app;
using namespace ontime::apps;

// Records of 100 bytes, of which the first ten are the key. Records of equal keys are in order of the rest, so that
// there is one right answer.
class TeraOrder final : public Order {
 public:
  static constexpr RecordBytes kRecordBytes = 100;

  RecordBytes record_bytes() const override { return kRecordBytes; }
  std::uint64_t rank(std::string_view record) const override { return rank_of_bytes(record); }
  bool is_before(std::string_view a, std::string_view b) const override { return a < b; }
};

class TeraSortMapper final : public Mapper {
 public:
  void map(const Batch& batch, Output& out) override {
    for (std::size_t at = 0; at < batch.bytes.size(); at += TeraOrder::kRecordBytes)
      runs_.add(batch.bytes.substr(at, TeraOrder::kRecordBytes), out);
  }
  void flush(Output& out) override { runs_.flush(out); }

 private:
  TeraOrder order_;
  RunBuffer runs_{order_};
};

class TeraSort final : public Application {
 public:
  std::string description() const override { return "sorts 100-byte records by their first ten bytes (TeraSort)"; }
  std::unique_ptr<RecordFormat> record_format(const Parameters&) const override {
    return std::make_unique<FixedRecords>(TeraOrder::kRecordBytes);
  }
  std::unique_ptr<Mapper> make_mapper() const override { return std::make_unique<TeraSortMapper>(); }
  std::unique_ptr<Order> make_order() const override { return std::make_unique<TeraOrder>(); }
};

}  // namespace

ONTIME_APPLICATION(TeraSort)
