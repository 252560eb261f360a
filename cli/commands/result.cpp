#include <unistd.h>

#include <memory>
#include <string>

#include "cli/cluster/temporary_directory.h"
#include "cli/commands/execute.h"
#include "cli/result/answer_output.h"
#include "common/app/loaded_application.h"

namespace ontime::cli {
namespace {

// What makes the answer; the application is loaded for good. Both are null when it only has part files to print.
struct AnswerMaker {
  std::unique_ptr<app::Merger> merger;
  std::unique_ptr<app::Order> order;
};

// They take the parameters that the job was given. A result names its application; which code that is says the reader,
// by his directories, and what others could have put there is not run, as on a worker.
Result<AnswerMaker> maker_of(const output::Manifest& manifest, const ResultCommand& command) {
  if (manifest.application.find('/') != std::string::npos)
    return bad_input("the manifest in '" + command.directory + "' names its application by a path, '" +
                     manifest.application + "', which no job does; nothing is run from there");
  const auto loaded =
      app::LoadedApplication::load(manifest.application, application_directories(command.application_directories),
                                   app::Keeper{geteuid(), getegid()});
  if (!loaded) return loaded.error();
  const auto parameters = loaded->complete({manifest.parameters.begin(), manifest.parameters.end()});
  if (!parameters) return parameters.error();
  AnswerMaker maker{loaded->application().make_merger(), loaded->application().make_order()};
  try {
    if (maker.merger) maker.merger->setup(*parameters);
    if (maker.order) maker.order->setup(*parameters);
  } catch (const std::exception& exception) {
    return bad_input("application '" + loaded->name() + "' cannot merge: " + exception.what());
  }
  return maker;
}

Status write_answer(const ResultCommand& command, const AnswerMaker& maker, const std::vector<PartFile>& parts,
                    app::Output& answer) {
  MergeOptions options;
  options.memory_bytes = command.memory_bytes;
  options.temporary_directory = TemporaryDirectory::parent();
  if (maker.order) return sort_parts(parts, *maker.order, options, answer);
  if (maker.merger) return merge_parts(parts, *maker.merger, options, answer);
  return concatenate_parts(parts, answer);
}

}  // namespace

Result<ExitCode> execute(const ResultCommand& command) {
  const auto output = FinishedOutput::open(command.directory);
  if (!output) return output.error();
  const auto parts = part_files(*output);
  if (!parts) return parts.error();
  const auto maker = maker_of(output->manifest(), command);
  if (!maker) return maker.error();
  if (maker->order && command.top > 0)
    return bad_input("--top picks the largest counts, but '" + output->manifest().application +
                     "' answers with records in an order of its own; use head or tail");
  auto file = AnswerFile::make(command.output, command.force);
  if (!file) return file.error();
  DescriptorOutput all(file->descriptor(), file->shown_name());
  if (command.top > 0) {
    TopOutput top(command.top);
    if (auto status = write_answer(command, *maker, *parts, top); !status) return status.error();
    if (auto status = top.finish(all); !status) return status.error();
  } else if (auto status = write_answer(command, *maker, *parts, all); !status) {
    return status.error();
  }
  if (auto status = all.finish(); !status) return status.error();
  if (auto status = file->publish(); !status) return status.error();
  return ExitCode::Done;
}

}  // namespace ontime::cli
