#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "cli/commands/execute.h"
#include "cli/result/answer_output.h"
#include "common/app/loaded_application.h"
#include "common/base/machine.h"
#include "common/base/wording.h"
#include "common/files/temporary_directory.h"

namespace ontime::cli {
namespace {

// What makes the answer; the application is loaded for good. Both are empty when it only has part files to print.
struct AnswerMaker {
  MakeMerger make_merger;
  std::unique_ptr<app::Order> order;
};

// Whether a command in the result is the reader's own: his own master has written it, as with 'ontime run', and nobody
// else could give that master jobs. Where jobs have owners, any of them may have submitted this one.
bool is_own(const FinishedOutput& output) {
  return !output.is_fetched() && output.manifest().file_owner == geteuid() && output.manifest().owner == "";
}

Status check_command(const app::Merger& merger, const FinishedOutput& output, const ResultCommand& command) {
  const std::string line = merger.command();
  if (line.empty() || command.run_command || is_own(output)) return {};
  return bad_input("the answer of '" + command.directory +
                   "' is made by a command of the user who submitted its job: " + line + "; --run-command runs it");
}

// They take the parameters that the job was given. A result names its application; which code that is says the reader,
// by his directories, and what others could have put there is not run, as on a worker.
Result<AnswerMaker> maker_of(const FinishedOutput& output, const ResultCommand& command) {
  const output::Manifest& manifest = output.manifest();
  if (manifest.application.find('/') != std::string::npos)
    return bad_input("the manifest in '" + command.directory + "' names its application by a path, '" +
                     manifest.application + "', which no job does; nothing is run from there");
  const auto loaded =
      app::LoadedApplication::load(manifest.application, application_directories(command.application_directories),
                                   app::Keeper{geteuid(), getegid()});
  if (!loaded) return loaded.error();
  const auto completed = loaded->complete({manifest.parameters.begin(), manifest.parameters.end()});
  if (!completed) return completed.error();
  const auto parameters = std::make_shared<const app::ParameterValues>(*completed);
  const app::Application& application = loaded->application();
  AnswerMaker maker;
  try {
    maker.order = application.make_order();
    if (maker.order) maker.order->setup(*parameters);
    const auto merger = application.merger_for(*parameters);
    if (!merger) return maker;
    merger->setup(*parameters);
    if (auto allowed = check_command(*merger, output, command); !allowed) return allowed.error();
  } catch (const std::exception& exception) {
    return bad_input("application '" + loaded->name() + "' cannot merge: " + exception.what());
  }
  maker.make_merger = [&application, parameters] {
    auto merger = application.merger_for(*parameters);
    merger->setup(*parameters);
    return merger;
  };
  return maker;
}

Status write_answer(const ResultCommand& command, const AnswerMaker& maker, const std::vector<PartFile>& parts,
                    app::Output& answer) {
  MergeOptions options;
  options.memory_bytes = command.memory_bytes;
  options.threads = machine_share().cores;
  options.temporary_directory = files::TemporaryDirectory::parent();
  if (maker.order) return sort_parts(parts, *maker.order, options, answer);
  if (maker.make_merger) return merge_parts(parts, maker.make_merger, options, answer);
  return concatenate_parts(parts, answer);
}

// An application that ends the process while it makes the answer has made none.
class Making {
 public:
  Making() {
    is_going_on_ = true;
    std::atexit(refuse);
  }
  ~Making() { is_going_on_ = false; }
  Making(const Making&) = delete;
  Making& operator=(const Making&) = delete;

 private:
  static void refuse() {
    if (!is_going_on_) return;
    const char* const why = "the application has ended the process instead of giving an answer";
    std::fputs(complaint("ontime result", why).c_str(), stderr);
    std::_Exit(static_cast<int>(ExitCode::Failed));
  }

  static inline bool is_going_on_ = false;
};

}  // namespace

Result<ExitCode> execute(const ResultCommand& command) {
  const Making making;
  const auto output = FinishedOutput::open(command.directory);
  if (!output) return output.error();
  const auto parts = part_files(*output);
  if (!parts) return parts.error();
  const auto maker = maker_of(*output, command);
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
