#include <algorithm>
#include <charconv>
#include <map>
#include <span>

#include "common/base/units.h"
#include "lab/scenario/scenario.h"
#include "lab/scenario/scenario_yaml.h"
#include "lab/scenario/yaml_fields.h"
#include "lab/study/study.h"

namespace ontime::lab {
namespace {

constexpr std::string_view kPolicy = "policy.";
constexpr std::string_view kUtility = "utility.";

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= path.size();) {
    const auto end = std::min(path.find('.', begin), path.size());
    parts.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// By recursion: assigning to a YAML::Node changes what it refers to.
void put(YAML::Node node, std::span<const std::string> path, const YAML::Node& value) {
  const std::string& name = path.front();
  if (node.IsSequence()) {
    const auto index = number_in<std::size_t>(name);
    if (!index || *index >= node.size()) {
      throw YamlFault(value,
                      "set: there is no item '" + name + "' in the list, which has " + std::to_string(node.size()));
    }
    if (path.size() == 1) {
      node[*index] = value;
    } else {
      put(node[*index], path.subspan(1), value);
    }
    return;
  }
  if (!node.IsMap()) throw YamlFault(value, "set: '" + name + "' is to be put into something that has no keys");
  if (path.size() == 1) {
    node[name] = value;
    return;
  }
  if (!node[name]) node[name] = YAML::Node(YAML::NodeType::Map);
  put(node[name], path.subspan(1), value);
}

Result<Scenario> with_policy(Scenario scenario, PolicyChoice choice, const std::vector<Setting>& settings) {
  for (const Setting& setting : settings) {
    if (setting.path.starts_with(kPolicy) && !setting.medians) {
      choice.parameters[setting.path.substr(kPolicy.size())] = read_text(setting.value);
    }
  }
  if (auto chosen = choose_policy(scenario, choice); !chosen) return chosen.error();
  return scenario;
}

}  // namespace

std::vector<PointOfAxes> places_of(const Study& study) {
  std::vector<PointOfAxes> places{{}};
  for (const Axis& axis : study.axes) {
    std::vector<PointOfAxes> more;
    for (const PointOfAxes& place : places) {
      for (const AxisValue& value : axis.values) {
        more.push_back(place);
        more.back().labels.push_back(value.label);
        more.back().settings.insert(more.back().settings.end(), value.settings.begin(), value.settings.end());
      }
    }
    places = std::move(more);
  }
  return places;
}

std::vector<std::pair<std::string, std::size_t>> spelled_out(const std::string& path, std::size_t items) {
  const auto parts = parts_of(path);
  if (parts.size() < 3 || parts[0] != "jobs") return {{path, 0}};
  const std::string rest = path.substr(parts[0].size() + parts[1].size() + 1);
  if (parts[1] != "*") {
    std::size_t index = 0;
    std::from_chars(parts[1].data(), parts[1].data() + parts[1].size(), index);
    return {{path, std::min(index, items - 1)}};
  }
  std::vector<std::pair<std::string, std::size_t>> all;
  for (std::size_t index = 0; index < items; ++index) all.emplace_back("jobs." + std::to_string(index) + rest, index);
  return all;
}

bool is_of_scenario(const Setting& setting) {
  return !setting.path.starts_with(kPolicy) && !setting.path.starts_with(kUtility) && !setting.path.starts_with("$");
}

std::string filled_in(const std::string& policy, const std::vector<Setting>& settings) {
  return fill_in(policy, [&](const std::string& name) -> std::optional<std::string> {
    const auto last = std::find_if(settings.rbegin(), settings.rend(), [&](const Setting& setting) {
      return setting.path == "$" + name && setting.value.IsScalar();
    });
    return last == settings.rend() ? std::nullopt : std::optional(last->value.Scalar());
  });
}

Result<Utility> utility_of(const Study& study, const std::vector<Setting>& settings) {
  Utility utility = study.utility;
  const std::map<std::string, double*> places{
      {"r_min", &utility.r_min}, {"theta", &utility.theta}, {"price", &utility.price}};
  return without_throwing([&]() -> Result<Utility> {
    for (const Setting& setting : settings) {
      if (!setting.path.starts_with(kUtility)) continue;
      const auto place = places.find(setting.path.substr(kUtility.size()));
      if (place == places.end()) return bad_input("set: utility has r_min, theta, price, no '" + setting.path + "'");
      *place->second = read_number(setting.value);
    }
    return utility;
  });
}

Result<Scenario> scenario_of(const Study& study, const std::vector<Setting>& settings, const std::string& policy) {
  return without_throwing([&]() -> Result<Scenario> {
    YAML::Node document = YAML::Clone(study.scenario);
    document.remove("study");
    for (const Setting& setting : settings) {
      if (setting.medians || !is_of_scenario(setting)) continue;
      // Later settings go into a copy of the value.
      for (const auto& [path, item] : spelled_out(setting.path, document["jobs"].size())) {
        put(document, parts_of(path), YAML::Clone(setting.value));
      }
    }
    auto scenario = read_scenario(document, study.surroundings);
    if (!scenario || policy.empty()) return scenario;
    auto choice = read_policy(policy);
    if (!choice) return choice.error();
    return with_policy(std::move(*scenario), std::move(*choice), settings);
  });
}

}  // namespace ontime::lab
