#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "apps/gen/generator.h"
#include "cli/cluster/interrupt.h"
#include "cli/commands/execute.h"
#include "cli/result/answer_output.h"
#include "cli/show/progress_view.h"
#include "common/app/loaded_application.h"
#include "common/base/units.h"

namespace ontime::cli {
namespace {

using apps::Generator;
using apps::GeneratorKind;

Result<const GeneratorKind*> find_kind(const std::string& name) {
  std::string names;
  for (const auto& kind : apps::generator_kinds()) {
    if (kind.name == name) return &kind;
    names += (names.empty() ? "" : ", ") + std::string(kind.name);
  }
  return bad_input("there is no kind of data '" + name + "'; there are: " + names);
}

Result<std::uint64_t> parse_amount(const std::string& text, GeneratorKind::Unit unit) {
  if (unit == GeneratorKind::Unit::Bytes) return parse_size(text);
  std::uint64_t rows = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rows);
  if (error != std::errc() || end != text.data() + text.size())
    return bad_input("'" + text + "' is not a number of rows, such as 1000000");
  return rows;
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

Status check_free(const GenCommand& command) {
  struct stat status {};
  const bool is_there = stat(command.output.c_str(), &status) == 0 && S_ISREG(status.st_mode);
  if (is_there && !command.force) return bad_input("'" + command.output + "' is there already; --force replaces it");
  return {};
}

// A DescriptorOutput that knows how much has passed.
class CountedOutput final : public DescriptorOutput {
 public:
  using DescriptorOutput::DescriptorOutput;
  std::uint64_t bytes() const { return flushed_ + buffered(); }

 protected:
  void make_room(std::size_t size) override {
    flushed_ += buffered();
    DescriptorOutput::make_room(size);
  }

 private:
  std::uint64_t flushed_ = 0;
};

// Interrupted when somebody does; the file is left out then.
Status write_all(Generator& generator, CountedOutput& out, bool quiet) {
  ProgressView view(quiet);
  ProgressState state;
  for (bool more = true; more && out.status();) {
    more = generator.write_some(out);
    if (auto status = check_interrupts(); !status) return status;
    state.done_bytes = out.bytes();
    const double share = generator.share_done();
    state.total_bytes = share > 0 ? static_cast<std::uint64_t>(static_cast<double>(state.done_bytes) / share) : 0;
    view.update(state);
  }
  view.clear();
  return out.finish();
}

}  // namespace

Result<ExitCode> execute(const GenCommand& command) {
  const auto generator = make_generator(command);
  if (!generator) return generator.error();
  if (auto status = check_free(command); !status) return status.error();
  install_interrupt_handlers();
  auto file = AnswerFile::make(command.output);
  if (!file) return file.error();
  CountedOutput out(file->descriptor(), file->shown_name());
  auto status = write_all(**generator, out, command.quiet);
  if (interrupts() > 0) return ExitCode::Interrupted;
  if (!status) return status.error();
  if (status = file->publish(); !status) return status.error();
  if (!command.quiet) {
    const auto summary = (*generator)->summary();
    std::fprintf(stderr, "%s: %s%s%s\n", file->shown_name().c_str(), format_size(out.bytes()).c_str(),
                 summary.empty() ? "" : ", ", summary.c_str());
  }
  return ExitCode::Done;
}

}  // namespace ontime::cli
