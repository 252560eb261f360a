#pragma once
// Records of TeraSort: 100 bytes, of which the first ten are the key. Records of equal keys are in order of the rest,
// so that there is one right answer.

#include <cstdint>
#include <string_view>

#include "apps/sorting/rank.h"
#include "common/app/application.h"

namespace ontime::apps {

class TeraOrder final : public app::Order {
 public:
  static constexpr app::RecordBytes kRecordBytes = 100;

  app::RecordBytes record_bytes() const override { return kRecordBytes; }
  std::uint64_t rank(std::string_view record) const override { return rank_of_bytes(record); }
  bool is_before(std::string_view a, std::string_view b) const override { return a < b; }
};

}  // namespace ontime::apps
