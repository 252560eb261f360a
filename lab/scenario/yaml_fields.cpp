#include "lab/scenario/yaml_fields.h"

#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "common/base/units.h"
#include "common/base/wording.h"

namespace ontime::lab {
namespace {

std::string place(const YAML::Node& node) {
  return node.Mark().is_null() ? std::string() : "line " + std::to_string(node.Mark().line + 1) + ": ";
}

std::string shown(const YAML::Node& node) { return node.IsScalar() ? "'" + node.Scalar() + "'" : "this"; }

Distribution make_distribution(const YAML::Node& node, const std::string& kind, const std::vector<double>& values) {
  if (kind == "empirical") {
    if (values.empty()) throw YamlFault(node, "an empirical distribution needs values");
    return Distribution::empirical(values);
  }
  if (values.size() != 2) throw YamlFault(node, "'" + kind + "' takes a list of two numbers");
  return taken(node, named_distribution(kind, values[0], values[1]));
}

// {5: 0.5, 10: 0.3, 20: 0.2}
Distribution read_weighted(const YAML::Node& node) {
  std::map<double, double> shares;
  for (const auto& entry : node) {
    const double share = read_number(entry.second);
    if (!(share > 0 && std::isfinite(share))) throw YamlFault(entry.second, "a share is a positive number");
    shares[read_seconds(entry.first)] += share;
  }
  return Distribution::weighted({shares.begin(), shares.end()});
}

}  // namespace

YamlFault::YamlFault(const YAML::Node& where, const std::string& what)
    : std::runtime_error(place(where) + what), place_(place(where)), what_(what) {}

void YamlFault::throw_named(const std::string& key) const {
  const bool is_named = has_key_ || what_.starts_with(key + ":") || what_.starts_with("'" + key + "'");
  YamlFault named(place_, is_named ? what_ : key + ": " + what_);
  named.has_key_ = true;
  throw named;
}

std::string read_text(const YAML::Node& node) {
  if (!node.IsScalar()) throw YamlFault(node, "this is a list or a mapping; write a single value");
  return node.Scalar();
}

double read_number(const YAML::Node& node) {
  double value = 0;
  if (!node.IsScalar() || !YAML::convert<double>::decode(node, value) || std::isnan(value)) {
    throw YamlFault(node, shown(node) + " is not a number; write for instance 3 or 0.5");
  }
  return value;
}

double read_seconds(const YAML::Node& node) {
  double value = 0;
  if (node.IsScalar() && YAML::convert<double>::decode(node, value) && !std::isnan(value)) return value;
  return ontime::seconds(taken(node, parse_duration(read_text(node))));
}

std::uint64_t read_bytes(const YAML::Node& node) { return taken(node, parse_size(read_text(node))); }

std::uint32_t read_count(const YAML::Node& node) {
  const double value = read_number(node);
  if (value < 0 || value > std::numeric_limits<std::uint32_t>::max() || value != std::floor(value)) {
    throw YamlFault(node, shown(node) + " is not a whole number from 0 on; write for instance 3");
  }
  return static_cast<std::uint32_t>(value);
}

std::vector<double> read_values(const YAML::Node& node) {
  if (!node.IsSequence()) throw YamlFault(node, shown(node) + " is not a list of numbers; write for instance [1, 2.5]");
  std::vector<double> values;
  for (const YAML::Node& value : node) values.push_back(read_seconds(value));
  return values;
}

bool read_flag(const YAML::Node& node) {
  bool value = false;
  if (!node.IsScalar() || !YAML::convert<bool>::decode(node, value))
    throw YamlFault(node, shown(node) + " is neither yes nor no");
  return value;
}

namespace {

const ValueForm kSeconds{[](std::string_view text) {
                           const YAML::Node node{std::string(text)};
                           return without_throwing([&]() -> Result<double> { return read_seconds(node); });
                         },
                         shortest};

}  // namespace

Distribution read_distribution(const YAML::Node& node) {
  if (node.IsScalar()) return taken(node, parse_distribution(node.Scalar(), kSeconds));
  const char* wanted = "this is not a distribution; write a value, {KIND: [numbers]} or {VALUE: SHARE, ...}";
  if (!node.IsMap() || node.size() == 0) throw YamlFault(node, wanted);
  const auto entry = *node.begin();
  double number = 0;
  if (YAML::convert<double>::decode(entry.first, number)) return read_weighted(node);
  if (node.size() != 1) throw YamlFault(node, wanted);
  return make_distribution(node, read_text(entry.first), read_values(entry.second));
}

bool is_distribution(const YAML::Node& node) {
  if (!node.IsMap() || node.size() == 0) return node.IsScalar();
  const YAML::Node first = node.begin()->first;
  double number = 0;
  return YAML::convert<double>::decode(first, number) || first.as<std::string>("") == "empirical" ||
         is_distribution_name(first.as<std::string>(""));
}

scheduler::StringMap read_settings(const YAML::Node& node) {
  if (!node.IsMap()) throw YamlFault(node, shown(node) + " is not a mapping; write {NAME: VALUE, ...}");
  scheduler::StringMap settings;
  for (const auto& entry : node) settings[read_text(entry.first)] = read_text(entry.second);
  return settings;
}

YamlFields::YamlFields(const YAML::Node& node) : node_(node) {
  if (!node.IsMap()) throw YamlFault(node, shown(node) + " is not a mapping; write {KEY: VALUE, ...}");
  std::set<std::string> seen;
  for (const auto& entry : node) {
    const std::string key = read_text(entry.first);
    if (!seen.insert(key).second) throw YamlFault(entry.first, "'" + key + "' is there twice; keep one of them");
  }
}

YAML::Node YamlFields::take(const char* key) {
  known_.insert(key);
  const YAML::Node& mapping = node_;
  return mapping[key];
}

void YamlFields::each(const char* key, const std::function<void(const YAML::Node&)>& read) {
  const YAML::Node list = take(key);
  if (!list) return;
  if (!list.IsSequence()) {
    throw YamlFault(list, std::string("'") + key + "' must be a list; write its items as lines that begin with '- '");
  }
  for (const YAML::Node& item : list) read(item);
}

void YamlFields::finish() const {
  for (const auto& entry : node_) {
    const std::string key = read_text(entry.first);
    if (known_.contains(key)) continue;
    throw YamlFault(entry.first, "there is no '" + key + "' here; " + advice(key, {known_.begin(), known_.end()}));
  }
}

}  // namespace ontime::lab
