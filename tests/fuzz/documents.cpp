// Files that people write, and the manifest.
#include <filesystem>
#include <fstream>

#include "common/base/check.h"
#include "common/injection/settings.h"
#include "common/output/manifest.h"
#include "lab/experiment/plan.h"
#include "lab/scenario/scenario_yaml.h"
#include "lab/study/study.h"
#include "tests/fuzz/targets.h"
#include "tests/support/temporary_directory.h"

namespace ontime::fuzz {
namespace {

class NoTraces : public injection::TraceSource {
 public:
  Result<std::string> read(const std::string& name) override { return lab::no_files(name); }
};

}  // namespace

void feed_injection(std::string_view bytes) {
  injection::Injection injection;
  NoTraces traces;
  static_cast<void>(injection::apply_document(injection, std::string(bytes), traces));
}

void feed_scenario(std::string_view bytes) { static_cast<void>(lab::read_scenario(std::string(bytes))); }

void feed_study(std::string_view bytes) { static_cast<void>(lab::read_study(std::string(bytes))); }

void feed_experiment(std::string_view bytes) {
  static_cast<void>(lab::experiment::read_experiment(std::string(bytes), {}));
}

void feed_manifest(std::string_view bytes) {
  static const test::TemporaryDirectory directory;
  std::ofstream(directory / output::kManifestName, std::ios::binary) << bytes;
  const auto manifest = output::read_manifest(directory.path());
  if (!manifest) return;
  for (const output::Task& task : manifest->tasks) {
    ONTIME_CHECK(task.input < manifest->inputs.size(), "every task has an input");
  }
}

}  // namespace ontime::fuzz
