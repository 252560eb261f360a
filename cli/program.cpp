#include "cli/command_line.h"
#include "cli/show/table.h"
#include "common/base/wording.h"

namespace ontime::cli {

int report_error(const std::string& verb, const Error& error) {
  std::fputs(complaint(verb.empty() ? "ontime" : "ontime " + verb, printable_lines(error.message)).c_str(), stderr);
  return static_cast<int>(exit_code_of(error));
}

}  // namespace ontime::cli
