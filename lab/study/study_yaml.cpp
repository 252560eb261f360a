#include <algorithm>
#include <array>

#include "common/base/wording.h"
#include "lab/scenario/scenario.h"
#include "lab/scenario/scenario_yaml.h"
#include "lab/study/study.h"
#include "lab/study/study_result.h"

namespace ontime::lab {
namespace {

std::string read_policy_text(const YAML::Node& node) {
  std::string text = read_text(node);
  if (text.find('$') != std::string::npos) return text;  // not complete before an axis says what stands for it
  Scenario any;
  const auto choice = taken(node, read_policy(text));
  if (const auto good = choose_policy(any, choice); !good) throw YamlFault(node, good.error().message);
  return text;
}

std::vector<Setting> read_settings_of(const YAML::Node& node);

MediansOf read_medians(const YAML::Node& node) {
  YamlFields fields(node);
  MediansOf medians;
  fields.get("medians_of", medians.policy, read_policy_text);
  fields.number("times", medians.times);
  fields.count("runs", medians.runs);
  fields.get("seed", medians.seed, read_count);
  fields.flag("other_luck", medians.other_luck);
  fields.get("with", medians.with, read_settings_of);
  fields.finish();
  demand(medians.times > 0, node, "'times' is positive");
  demand(!medians.other_luck || medians.runs > 0, node, "give the number of 'runs' with 'other_luck'");
  return medians;
}

std::vector<Setting> read_settings_of(const YAML::Node& node) {
  demand(node.IsMap(), node, "write {PLACE_IN_THE_SCENARIO: VALUE, ...}");
  std::vector<Setting> settings;
  for (const auto& entry : node) {
    Setting setting{read_text(entry.first), entry.second, std::nullopt};
    const YAML::Node& value = entry.second;
    if (value.IsMap() && value["medians_of"]) setting.medians = read_medians(value);
    settings.push_back(std::move(setting));
  }
  return settings;
}

AxisValue read_axis_value(const YAML::Node& node) {
  YamlFields fields(node);
  AxisValue value;
  fields.text("label", value.label);
  fields.get("set", value.settings, read_settings_of);
  fields.finish();
  demand(!value.label.empty(), node, "each value of an axis has a label");
  return value;
}

Axis read_axis(const YAML::Node& node) {
  YamlFields fields(node);
  Axis axis;
  fields.text("name", axis.name);
  fields.each("values", [&](const YAML::Node& value) { axis.values.push_back(read_axis_value(value)); });
  fields.flag("pooled", axis.pooled);
  fields.finish();
  demand(!axis.name.empty() && axis.name != "policy" && axis.name != "group", node,
         "an axis has a name, neither 'policy' nor 'group'");
  demand(!axis.values.empty(), node, "axis '" + axis.name + "' has no values");
  return axis;
}

MissOf read_miss(const YAML::Node& node) {
  YamlFields fields(node);
  MissOf miss;
  fields.get("miss_of", miss.policy, read_policy_text);
  fields.flag("per_task", miss.per_task);
  fields.finish();
  demand(!miss.policy.empty(), node, "give the policy after 'miss_of'");
  return miss;
}

Contender read_contender(const std::string& name, const YAML::Node& node) {
  Contender contender{name, {}, {}};
  if (node.IsScalar()) {
    contender.run = read_policy_text(node);
    return contender;
  }
  YamlFields fields(node);
  fields.get("run", contender.run, read_policy_text);
  if (const YAML::Node measured = fields.take("measured")) {
    for (const auto& entry : measured) contender.measured[read_text(entry.first)] = read_miss(entry.second);
  }
  fields.finish();
  demand(!contender.run.empty(), node, "policy '" + name + "' needs 'run'");
  return contender;
}

Curves read_curves(const YAML::Node& figure) {
  const std::string kind = figure.IsMap() && figure["kind"] ? figure["kind"].as<std::string>("") : "";
  return kind == "cdf" ? Curves::Times : kind == "over_time" ? Curves::Samples : Curves::None;
}

Utility read_utility(const YAML::Node& node) {
  YamlFields fields(node);
  Utility utility;
  fields.get("log", utility.log_base, [](const YAML::Node& base) {
    return base.IsScalar() && base.Scalar() == "e" ? 2.718281828459045 : read_number(base);
  });
  fields.number("r_min", utility.r_min);
  fields.number("theta", utility.theta);
  fields.number("price", utility.price);
  fields.finish();
  demand(utility.log_base > 1, node, "utility: log is a base above 1");
  return utility;
}

std::vector<std::string> read_measures(const YAML::Node& node) {
  demand(node.IsSequence(), node, "'measures' must be a list, such as [pocd, flow_time]");
  std::vector<std::string> names;
  for (const YAML::Node& item : node) {
    names.push_back(read_text(item));
    if (find_measure(names.back()) != nullptr) continue;
    const std::string known = advice(names.back(), ontime::names_of(measures()));
    throw YamlFault(item, "there is no measure '" + names.back() + "'; " + known);
  }
  return names;
}

Forecasts read_forecasts(const YAML::Node& node) {
  YamlFields fields(node);
  Forecasts forecasts;
  fields.get("life", forecasts.life, read_shares);
  fields.get("deadline", forecasts.deadline, read_shares);
  fields.finish();
  return forecasts;
}

// What is only shown, or says how many runs there are.
constexpr std::array kOfPages{"title", "source", "printed", "read_off_figure", "assumptions", "findings"};
constexpr std::array kOfExtent{"seeds", "every"};

void read_keys(Study& study, const YAML::Node& node) {
  YamlFields fields(node);
  for (const char* key : kOfPages) fields.take(key);
  fields.count("seeds", study.seeds);
  fields.flag("own_seeds", study.own_seeds);
  fields.count("every", study.every);
  if (const YAML::Node policies = fields.take("policies")) {
    demand(policies.IsMap(), policies, "policies is a mapping from names to policies");
    for (const auto& entry : policies) study.policies.push_back(read_contender(read_text(entry.first), entry.second));
  }
  fields.each("vary", [&](const YAML::Node& axis) { study.axes.push_back(read_axis(axis)); });
  fields.get("measures", study.measures, read_measures);
  fields.get("utility", study.utility, read_utility);
  fields.get("by_group", study.by_group, [](const YAML::Node& by) {
    return read_choice<bool>(by, {{"no", false}, {"yes", true}, {"mean", true}});
  });
  fields.get("forecasts", study.forecasts, read_forecasts);
  fields.get("figure", study.curves, read_curves);
  fields.finish();
  demand(!study.policies.empty(), node, "a study has policies");
  demand(!study.measures.empty(), node, "a study has measures");
  demand(study.seeds > 0 && study.every > 0, node, "a study has at least one seed, and runs every point or fewer");
}

}  // namespace

bool has_study(const std::string& text) {
  try {
    const YAML::Node document = YAML::Load(text);
    return document.IsMap() && document["study"].IsDefined();
  } catch (const YAML::Exception&) {
    return false;
  }
}

std::string text_of_runs(const Study& study) {
  YAML::Node document = YAML::Clone(study.scenario);
  for (const char* key : kOfPages) document["study"].remove(key);
  for (const char* key : kOfExtent) document["study"].remove(key);
  return YAML::Dump(document);
}

Result<Study> read_study(const std::string& text, const Surroundings& surroundings) {
  return without_throwing([&]() -> Result<Study> {
    Study study;
    study.scenario = YAML::Load(text);
    study.surroundings = surroundings;
    const auto scenario = read_scenario(study.scenario, surroundings);
    if (!scenario) return scenario.error();
    study.seed = scenario->seed;
    const YAML::Node& document = study.scenario;
    if (!document["study"]) return bad_input("there is no key 'study'");
    read_keys(study, document["study"]);
    return study;
  });
}

}  // namespace ontime::lab
