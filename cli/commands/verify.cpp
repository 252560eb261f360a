#include "cli/verify/verify.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands/execute.h"
#include "cli/show/progress_line.h"
#include "cli/show/table.h"
#include "common/base/units.h"
#include "common/base/wording.h"

namespace ontime::cli {
namespace {

std::string json_of(const Verdict& verdict) {
  const nlohmann::ordered_json json = {{"whole", verdict.is_whole()},
                                       {"tasks", verdict.tasks},
                                       {"segments", verdict.segments},
                                       {"records", verdict.records},
                                       {"input_bytes", verdict.input_bytes},
                                       {"output_bytes", verdict.output_bytes},
                                       {"output_content_bytes", verdict.content_bytes},
                                       {"problems", verdict.problems},
                                       {"problems_untold", verdict.problems_untold},
                                       {"unreadable", verdict.unreadable}};
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

const char* word_for(const Verdict& verdict) {
  if (verdict.is_whole()) return "whole";
  const bool is_damaged = verdict.unreadable < verdict.problems.size() + verdict.problems_untold;
  return is_damaged ? "damaged" : "not known to be whole, as not all can be read";
}

std::string text_of(const std::string& directory, const Verdict& verdict) {
  std::string text;
  for (const auto& problem : verdict.problems) text += printable(problem) + "\n";
  if (verdict.problems_untold > 0) text += "... and " + std::to_string(verdict.problems_untold) + " more\n";
  text +=
      printable(directory) + ": " + word_for(verdict) + ", " + counted(verdict.tasks, "task") + ", " +
      counted(verdict.segments, "segment") + ", " + counted(verdict.records, "record") + ", " +
      format_size(verdict.input_bytes) + " of input, " + format_size(verdict.output_bytes) + " of output" +
      (verdict.content_bytes == verdict.output_bytes ? "" : ", compressed from " + format_size(verdict.content_bytes)) +
      "\n";
  return text;
}

}  // namespace

Result<ExitCode> execute(const VerifyCommand& command) {
  const auto output = FinishedOutput::open(command.directory);
  Verdict verdict;
  if (!output) {
    const bool is_an_output = output.error().kind == ErrorKind::Failed;  // but one with a damaged manifest
    verdict.add_problem(output.error().message);
    if (command.json && is_an_output) std::fputs(json_of(verdict).c_str(), stdout);
    return output.error();
  }
  check_structure(output->manifest(), verdict);
  ProgressView view(command.quiet || command.json);
  ProgressState state;
  state.total_bytes = declared_output_bytes(output->manifest());
  check_files(*output, verdict, [&](std::uint64_t done_bytes) {
    state.done_bytes = done_bytes;
    view.update(state);
  });
  view.clear();
  if (command.json)
    std::fputs(json_of(verdict).c_str(), stdout);
  else if (!command.quiet || !verdict.is_whole())
    std::fputs(text_of(command.directory, verdict).c_str(), stdout);
  return verdict.is_whole() ? ExitCode::Done : ExitCode::Failed;
}

}  // namespace ontime::cli
