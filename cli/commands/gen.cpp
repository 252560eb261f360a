#include <algorithm>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string>

#include "apps/gen/generator.h"
#include "cli/cluster/interrupt.h"
#include "cli/commands/execute.h"
#include "cli/result/answer_output.h"
#include "cli/show/progress_line.h"
#include "common/app/loaded_application.h"
#include "common/base/units.h"
#include "common/base/wording.h"

namespace ontime::cli {
namespace {

using apps::Generator;
using apps::GeneratorKind;

Result<const GeneratorKind*> find_kind(const std::string& name) {
  for (const auto& kind : apps::generator_kinds())
    if (kind.name == name) return &kind;
  return bad_input("there is no kind of data '" + name + "'; " + advice(name, names_of(apps::generator_kinds())));
}

Result<std::uint64_t> parse_amount(const std::string& text, GeneratorKind::Unit unit) {
  if (unit == GeneratorKind::Unit::Bytes) {
    const auto size = parse_size(text);
    return size ? size : bad_input("AMOUNT: " + size.error().message);
  }
  const auto rows = parse_whole(text, 0, std::numeric_limits<std::uint64_t>::max());
  return rows ? rows : bad_input("AMOUNT: " + rows.error().message + ", the number of rows");
}

Result<std::unique_ptr<Generator>> make_generator(const GenCommand& command) {
  const auto kind = find_kind(command.kind);
  if (!kind) return kind.error();
  const auto amount = parse_amount(command.amount, (*kind)->unit);
  if (!amount) return amount.error();
  const auto settings = app::with_defaults("'" + command.kind + "'", (*kind)->parameters, command.settings);
  if (!settings) return settings.error();
  try {
    return (*kind)->make({.amount = *amount, .seed = command.seed, .settings = *settings});
  } catch (const std::invalid_argument& exception) {
    return bad_input(exception.what());
  }
}

// The bytes written. Interrupted when somebody does; the file is left out then.
Result<std::uint64_t> write_all(Generator& generator, DescriptorOutput& out, bool quiet) {
  ProgressView view(quiet);
  ProgressState state;
  for (bool more = true; more && out.status();) {
    more = generator.write_some(out);
    if (auto status = check_interrupts(); !status) return status.error();
    state.done_bytes = out.bytes();
    const double share = generator.share_done();
    state.total_bytes = share > 0 ? static_cast<std::uint64_t>(static_cast<double>(state.done_bytes) / share) : 0;
    view.update(state);
  }
  view.clear();
  const std::uint64_t bytes = out.bytes();
  if (auto status = out.finish(); !status) return status.error();
  return bytes;
}

}  // namespace

Result<ExitCode> execute(const GenCommand& command) {
  const auto generator = make_generator(command);
  if (!generator) return generator.error();
  install_interrupt_handlers();
  auto file = AnswerFile::make(command.output, command.force);
  if (!file) return file.error();
  DescriptorOutput out(file->descriptor(), file->shown_name());
  const auto bytes = write_all(**generator, out, command.quiet);
  if (interrupts() > 0) return ExitCode::Interrupted;
  if (!bytes) return bytes.error();
  if (auto status = file->publish(); !status) return status.error();
  if (!command.quiet) {
    const auto summary = (*generator)->summary();
    std::fprintf(stderr, "%s: %s%s%s\n", file->shown_name().c_str(), format_size(*bytes).c_str(),
                 summary.empty() ? "" : ", ", summary.c_str());
  }
  return ExitCode::Done;
}

}  // namespace ontime::cli
