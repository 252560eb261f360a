#include <yaml-cpp/yaml.h>

#include <set>

#include "common/base/wording.h"
#include "common/injection/load.h"
#include "common/injection/settings.h"

namespace ontime::injection {
namespace {

std::string line_of(const YAML::Mark& mark) { return "line " + std::to_string(mark.line + 1) + ": "; }

Status apply_value(Injection& injection, const std::string& key, const YAML::Node& value, TraceSource& traces) {
  if (!value.IsScalar()) {
    return bad_input(line_of(value.Mark()) + key + ": expected a text as after --inject " + key +
                     "=, or a list of them");
  }
  if (auto applied = apply(injection, key, value.Scalar(), traces); !applied) {
    return bad_input(line_of(value.Mark()) + applied.error().message);
  }
  return {};
}

Status apply_entry(Injection& injection, const YAML::Node& key, const YAML::Node& value, TraceSource& traces) {
  if (!key.IsScalar()) return bad_input(line_of(key.Mark()) + "expected the name of a setting");
  if (!value.IsSequence()) return apply_value(injection, key.Scalar(), value, traces);
  for (const YAML::Node& item : value) {
    if (auto applied = apply_value(injection, key.Scalar(), item, traces); !applied) return applied;
  }
  return {};
}

Status apply_mapping(Injection& injection, const YAML::Node& document, TraceSource& traces) {
  if (document.IsNull()) return {};
  if (!document.IsMap()) return bad_input(line_of(document.Mark()) + "expected lines of the form KEY: VALUE");
  std::set<std::string> seen;
  for (const auto& entry : document) {
    if (entry.first.IsScalar() && !seen.insert(entry.first.Scalar()).second) {
      return bad_input(line_of(entry.first.Mark()) + entry.first.Scalar() + " is there twice; write a list");
    }
    if (auto applied = apply_entry(injection, entry.first, entry.second, traces); !applied) return applied;
  }
  return {};
}

}  // namespace

Status apply_document(Injection& injection, const std::string& text, TraceSource& traces) {
  try {
    return apply_mapping(injection, YAML::Load(text), traces);
  } catch (const YAML::Exception& error) {
    return bad_input(not_yaml(error.mark.line));
  }
}

}  // namespace ontime::injection
