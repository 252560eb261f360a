#include "common/injection/load.h"

#include <filesystem>
#include <fstream>

#include "common/injection/settings.h"

namespace ontime::injection {
namespace {

constexpr std::size_t kFileBytesMax = 4u << 20;

Result<std::string> read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kFileBytesMax + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.eof() && !file.good()) return bad_input("the file '" + path.string() + "' cannot be read");
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
