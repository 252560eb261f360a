#include "apps/aggregate/plan.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace ontime::apps {
namespace {

constexpr std::size_t kNoPlace = std::string_view::npos;
constexpr std::uint32_t kTopMost = 1000;
constexpr std::size_t kFieldsMost = 64;

constexpr std::pair<std::string_view, Taking> kTakings[] = {
    {"count", Taking::Count}, {"sum", Taking::Sum},           {"min", Taking::Min}, {"max", Taking::Max},
    {"mean", Taking::Mean},   {"distinct", Taking::Distinct}, {"top", Taking::Top}};

// The place of `value`, which is put at the end if it is not there.
template <class T>
std::size_t place_in(std::vector<T>& list, const T& value) {
  const auto at = std::find(list.begin(), list.end(), value);
  const auto place = static_cast<std::size_t>(at - list.begin());
  if (at == list.end()) list.push_back(value);
  return place;
}

[[noreturn]] void refuse(std::string_view text) {
  throw std::invalid_argument(
      "take is a list of count, sum(FIELD), min(FIELD), max(FIELD), mean(FIELD), "
      "distinct(FIELD), top(FIELD,HOW MANY) and count(FIELD), and \"" +
      std::string(text) + "\" is none of them");
}

// `text` up to a comma that is not in parentheses.
std::string_view take_item(std::string_view& rest) {
  std::size_t end = rest.find(',');
  const std::size_t open = rest.find('(');
  if (open < end) {
    end = rest.find("),", open);
    end = end == kNoPlace ? kNoPlace : end + 1;
  }
  const std::string_view item = rest.substr(0, end);
  rest.remove_prefix(std::min(rest.size(), end == kNoPlace ? end : end + 1));
  return item;
}

// Of `top(FIELD,HOW MANY)`: takes the number from behind the field.
std::uint32_t take_most(std::string_view& field, std::string_view item) {
  const std::size_t comma = field.rfind(',');
  if (comma == kNoPlace) return 10;
  const std::string_view text = field.substr(comma + 1);
  std::uint32_t most = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), most);
  if (error != std::errc() || end != text.data() + text.size() || most == 0 || most > kTopMost)
    throw std::invalid_argument("\"" + std::string(item) + "\" asks for no number from 1 to 1000");
  field = field.substr(0, comma);
  return most;
}

std::size_t add_field(Plan& plan, std::string_view name) {
  const std::size_t place = place_in(plan.fields, std::string(name));
  if (plan.fields.size() > kFieldsMost) throw std::invalid_argument("by and take have more than 64 fields together");
  return place;
}

Taken parse_item(Plan& plan, std::string_view item) {
  if (item == "count") return {};
  const std::size_t open = item.find('(');
  const auto* const known = std::find_if(std::begin(kTakings), std::end(kTakings),
                                         [&](const auto& one) { return one.first == item.substr(0, open); });
  if (open == kNoPlace || !item.ends_with(')') || known == std::end(kTakings)) refuse(item);
  std::string_view field = item.substr(open + 1, item.size() - open - 2);
  Taken taken{.what = known->second};
  if (taken.what == Taking::Top) taken.most = take_most(field, item);
  if (field.empty()) refuse(item);
  taken.field = add_field(plan, field);
  std::vector<std::size_t>& list = taken.what == Taking::Count      ? plan.present
                                   : taken.what == Taking::Distinct ? plan.distinct
                                   : taken.what == Taking::Top      ? plan.tops
                                                                    : plan.numbers;
  taken.place = place_in(list, taken.field);
  return taken;
}

}  // namespace

Plan Plan::parse(const app::Parameters& parameters) {
  Plan plan;
  std::string_view by = parameters.get("by");
  while (!by.empty()) {
    const std::string_view name = by.substr(0, by.find(','));
    by.remove_prefix(std::min(by.size(), name.size() + 1));
    if (name.empty())
      throw std::invalid_argument("by is a list of fields with a comma between them, none of them empty");
    plan.by.push_back(add_field(plan, name));
  }
  std::string_view take = parameters.get("take");
  if (take.empty()) refuse(take);
  while (!take.empty()) plan.taken.push_back(parse_item(plan, take_item(take)));
  const std::string& bad = parameters.get("bad");
  if (bad != "fail" && bad != "skip") throw std::invalid_argument("bad must be fail or skip, not \"" + bad + "\"");
  plan.skips_bad = bad == "skip";
  return plan;
}

}  // namespace ontime::apps
