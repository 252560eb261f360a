#include <yaml-cpp/yaml.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "common/base/wording.h"
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

constexpr std::size_t kFileBytesMax = 4u << 20;

Result<std::string> read_file(const std::filesystem::path& path) {
  errno = EIO;  // unless the system says more
  std::ifstream file(path, std::ios::binary);
  std::string text(kFileBytesMax + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.eof() && !file.good())
    return bad_input("the file '" + path.string() + "' cannot be read: " + std::strerror(errno));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kFileBytesMax) return bad_input("the file '" + path.string() + "' is larger than 4 MiB");
  return text;
}

class TraceFiles final : public TraceSource {
 public:
  explicit TraceFiles(std::filesystem::path directory) : directory_(std::move(directory)) {}
  Result<std::string> read(const std::string& name) override { return read_file(directory_ / name); }

 private:
  std::filesystem::path directory_;
};

Status apply_file(Injection& injection, const std::string& path) {
  const auto text = read_file(path);
  if (!text) return bad_input("--injection: " + text.error().message);
  TraceFiles traces(std::filesystem::path(path).parent_path());
  if (auto applied = apply_document(injection, *text, traces); !applied) {
    return bad_input("--injection " + path + ", " + applied.error().message);
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

Result<std::optional<Injection>> load(const Flags& flags) {
  if (flags.file.empty() && flags.settings.empty()) return std::optional<Injection>();
  Injection injection;
  if (!flags.file.empty()) {
    if (auto applied = apply_file(injection, flags.file); !applied) return applied.error();
  }
  TraceFiles traces{""};
  for (const std::string& setting : flags.settings) {
    if (auto applied = apply(injection, setting, traces); !applied) {
      return bad_input("--inject " + applied.error().message);
    }
  }
  if (flags.seed) injection.seed = *flags.seed;
  return std::optional(std::move(injection));
}

}  // namespace ontime::injection
