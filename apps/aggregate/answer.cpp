#include "apps/aggregate/answer.h"

#include <algorithm>

#include "apps/text/counts.h"

namespace ontime::apps {
namespace {

// A line holds no tabs and line ends but its own.
std::string shown(std::string_view text) {
  std::string plain;
  for (const char byte : text) {
    if (byte == '\t' || byte == '\n')
      plain += byte == '\t' ? "\\t" : "\\n";
    else
      plain += byte;
  }
  return plain;
}

}  // namespace

void GroupMerger::merge(std::string_view key, std::span<const std::string_view> values, std::string& merged) {
  if (key.find(kValueMark) != key.npos) {
    SumMerger().merge(key, values, merged);
    return;
  }
  GroupState all(plan_);
  for (const std::string_view value : values) all.add(GroupState::parse(plan_, value));
  all.write(merged);
}

void GroupMerger::finish(std::string_view key, std::string_view value, app::Output& answer) {
  const std::size_t mark = key.find(kValueMark);
  if (mark == key.npos) {
    begin_group(key, answer);
    state_ = GroupState::parse(plan_, value);
    return;
  }
  if (group_ != key.substr(0, mark)) begin_group(key.substr(0, mark), answer);
  const std::string_view rest = key.substr(mark + 1);
  const std::size_t place = rest.empty() ? frequent_.size() : static_cast<std::size_t>(rest[0] - '0');
  if (place >= frequent_.size())
    throw std::runtime_error(
        "a line of a part file is no value's; the part files were not written by this application");
  add_value(place, rest.substr(1), parse_count(key, value));
}

void GroupMerger::begin_group(std::string_view key, app::Output& answer) {
  finish_all(answer);
  group_ = key;
  state_.emplace(plan_);
  frequent_.assign(plan_.tops.size(), {});
}

// They come in the order of their bytes: of equally frequent ones the first stays before the others.
void GroupMerger::add_value(std::size_t place, std::string_view value, std::uint64_t count) {
  std::uint32_t most = 0;
  for (const Taken& taken : plan_.taken) {
    if (taken.what == Taking::Top && taken.place == place) most = std::max(most, taken.most);
  }
  std::vector<Frequent>& kept = frequent_[place];
  if (kept.size() == most && kept.back().count >= count) return;
  const auto at = std::upper_bound(kept.begin(), kept.end(), count,
                                   [](std::uint64_t sought, const Frequent& one) { return sought > one.count; });
  kept.insert(at, {unescaped(value), count});
  if (kept.size() > most) kept.pop_back();
}

std::string GroupMerger::column(const Taken& taken) const {
  const Totals totals =
      taken.what >= Taking::Sum && taken.what <= Taking::Mean ? state_->totals[taken.place] : Totals();
  switch (taken.what) {
    case Taking::Records:
      return std::to_string(state_->records);
    case Taking::Count:
      return std::to_string(state_->present[taken.place]);
    case Taking::Sum:
      return to_text(totals.sum());
    case Taking::Min:
      return totals.count() == 0 ? "" : to_text(totals.min());
    case Taking::Max:
      return totals.count() == 0 ? "" : to_text(totals.max());
    case Taking::Mean:
      return totals.count() == 0 ? "" : mean_text(totals.sum(), totals.count());
    case Taking::Distinct:
      return std::to_string(state_->sketches[taken.place].estimate());
    case Taking::Top:
      break;
  }
  std::string text;
  const auto& kept = frequent_[taken.place];
  for (std::size_t i = 0; i < std::min<std::size_t>(kept.size(), taken.most); ++i)
    text += (i > 0 ? "," : "") + shown(kept[i].value) + ":" + std::to_string(kept[i].count);
  return text;
}

void GroupMerger::finish_all(app::Output& answer) {
  if (!group_) return;
  std::string line;
  std::string_view rest = *group_;
  for (std::size_t i = 0; i < plan_.by.size(); ++i) {
    const std::string_view field = rest.substr(0, rest.find(kFieldMark));
    rest.remove_prefix(std::min(rest.size(), field.size() + 1));
    line += shown(unescaped(field)) + '\t';
  }
  for (const Taken& taken : plan_.taken) line += column(taken) + '\t';
  line.back() = '\n';
  answer.write(line);
  group_.reset();
}

}  // namespace ontime::apps
