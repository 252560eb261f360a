#pragma once
// The merge of `aggregate`: a line for each group, in the order of the bytes of their fields.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/aggregate/groups.h"
#include "common/app/application.h"

namespace ontime::apps {

class GroupMerger final : public app::Merger {
 public:
  void setup(const app::Parameters& parameters) override { plan_ = Plan::parse(parameters); }
  void merge(std::string_view key, std::span<const std::string_view> values, std::string& merged) override;
  // A group's values come right behind it.
  void finish(std::string_view key, std::string_view value, app::Output& answer) override;
  void finish_all(app::Output& answer) override;

 private:
  struct Frequent {
    std::string value;
    std::uint64_t count = 0;
  };
  void begin_group(std::string_view key, app::Output& answer);
  void add_value(std::size_t place, std::string_view value, std::uint64_t count);
  std::string column(const Taken& taken) const;

  Plan plan_;
  std::optional<std::string> group_;  // that is to be written
  std::optional<GroupState> state_;
  std::vector<std::vector<Frequent>> frequent_;  // the most frequent first; by Plan::tops
};

}  // namespace ontime::apps
