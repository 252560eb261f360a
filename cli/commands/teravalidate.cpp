#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/gen/teragen.h"
#include "cli/commands/execute.h"
#include "cli/show/progress_line.h"
#include "common/base/wording.h"
#include "common/files/disk.h"

namespace ontime::cli {
namespace {

using apps::kTeraRecordBytes;
using apps::TeraSummary;

constexpr std::size_t kChunkBytes = 8192 * kTeraRecordBytes;

// Reads to the end; the bytes of an incomplete record stay with the next block.
Status summarise(int descriptor, const std::string& name, bool quiet, TeraSummary& summary) {
  ProgressView view(quiet);
  ProgressState state;
  struct stat status {};
  if (fstat(descriptor, &status) == 0) state.total_bytes = static_cast<std::uint64_t>(status.st_size);
  std::vector<char> block(kChunkBytes);
  std::size_t held = 0;
  for (;;) {
    const auto got = read(descriptor, block.data() + held, block.size() - held);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return bad_input("cannot read '" + name + "': " + std::strerror(errno));
    if (got == 0) break;
    held += static_cast<std::size_t>(got);
    const std::size_t whole = held / kTeraRecordBytes * kTeraRecordBytes;
    summary.add({block.data(), whole});
    std::memmove(block.data(), block.data() + whole, held - whole);
    held -= whole;
    state.done_bytes += static_cast<std::uint64_t>(got);
    view.update(state);
  }
  if (held > 0) return bad_input("'" + name + "' does not hold whole records of 100 bytes");
  return {};
}

std::string json_of(const TeraSummary& summary) {
  nlohmann::ordered_json json = {{"records", summary.records()},
                                 {"checksum", summary.checksum()},
                                 {"sorted", summary.misplaced() == 0},
                                 {"duplicate_keys", summary.duplicate_keys()},
                                 {"misplaced", summary.misplaced()}};
  if (summary.misplaced() > 0) json["first_misplaced"] = summary.first_misplaced();
  return json.dump(2) + "\n";
}

std::string text_of(const TeraSummary& summary) {
  std::string text = "records\t" + std::to_string(summary.records()) + "\nchecksum\t" + summary.checksum() +
                     "\nduplicate keys\t" + std::to_string(summary.duplicate_keys()) + "\n";
  if (summary.misplaced() == 0) return text + "sorted\tyes\n";
  return text + "sorted\tno: " + counted(summary.misplaced(), "record") +
         " behind one with a higher key, the first is record " + std::to_string(summary.first_misplaced()) + "\n";
}

}  // namespace

Result<ExitCode> execute(const TeraValidateCommand& command) {
  const bool is_stdin = command.file == "-";
  const Descriptor file = is_stdin ? Descriptor(dup(STDIN_FILENO)) : files::open(command.file, O_RDONLY | O_CLOEXEC);
  if (file.get() < 0) return bad_input("cannot read '" + command.file + "': " + std::strerror(errno));
  TeraSummary summary;
  const auto status = summarise(file.get(), command.file, command.quiet || command.json, summary);
  if (!status) return status.error();
  std::fputs((command.json ? json_of(summary) : text_of(summary)).c_str(), stdout);
  return summary.misplaced() == 0 ? ExitCode::Done : ExitCode::Failed;
}

}  // namespace ontime::cli
