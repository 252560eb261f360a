#include <filesystem>
#include <memory>
#include <string>

#include "cli/cluster/temporary_directory.h"
#include "cli/commands/execute.h"
#include "cli/job_request.h"
#include "cli/result/answer.h"
#include "cli/result/answer_output.h"
#include "common/app/loaded_application.h"

namespace ontime::cli {
namespace {

// Null when the application does not merge. The merger takes the parameters the job was given.
Result<std::unique_ptr<app::Merger>> merger_of(const output::Manifest& manifest, const ResultCommand& command) {
  const auto loaded =
      app::LoadedApplication::load(manifest.application, application_directories(command.application_directories));
  if (!loaded) return loaded.error();
  const auto parameters = loaded->complete({manifest.parameters.begin(), manifest.parameters.end()});
  if (!parameters) return parameters.error();
  auto merger = loaded->application().make_merger();
  try {
    if (merger) merger->setup(*parameters);
  } catch (const std::exception& exception) {
    return bad_input("application '" + loaded->name() + "' cannot merge: " + exception.what());
  }
  return merger;
}

Status write_answer(const ResultCommand& command, const output::Manifest& manifest,
                    const std::vector<std::string>& parts, app::Output& answer) {
  const auto merger = merger_of(manifest, command);
  if (!merger) return merger.error();
  if (!*merger) return concatenate_parts(parts, answer);
  MergeOptions options;
  options.memory_bytes = command.memory_bytes;
  options.temporary_directory = TemporaryDirectory::parent();
  return merge_parts(parts, **merger, options, answer);
}

}  // namespace

Result<ExitCode> execute(const ResultCommand& command) {
  const auto manifest = read_finished(command.directory);
  if (!manifest) return manifest.error();
  const auto parts = part_paths(command.directory, *manifest);
  if (!parts) return parts.error();
  auto file = AnswerFile::make(command.output);
  if (!file) return file.error();
  DescriptorOutput all(file->descriptor(), file->shown_name());
  if (command.top > 0) {
    TopOutput top(command.top);
    if (auto status = write_answer(command, *manifest, *parts, top); !status) return status.error();
    if (auto status = top.finish(all); !status) return status.error();
  } else if (auto status = write_answer(command, *manifest, *parts, all); !status) {
    return status.error();
  }
  if (auto status = all.finish(); !status) return status.error();
  if (auto status = file->publish(); !status) return status.error();
  return ExitCode::Done;
}

}  // namespace ontime::cli
