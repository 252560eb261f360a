// ontime-web: what 'ontime web' becomes. The other verbs start in half of the time without what it is made of.
#include <string>
#include <variant>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands/execute.h"
#include "cli/commands/serve.h"
#include "common/flags/everything_written.h"

int main(int argc, char** argv) {
  using namespace ontime::cli;
  const std::vector<std::string> arguments{argv + 1, argv + argc};
  const auto parsed = parse_command_line(arguments);
  if (!parsed.command) return carry_out(parsed);
  const auto* command = std::get_if<WebCommand>(&*parsed.command);
  if (command == nullptr)
    return report_error("", ontime::bad_input("ontime-web is what 'ontime web' becomes; the other verbs are ontime's"));
  const auto code = serve(*command);
  const int status = code ? static_cast<int>(*code) : report_error(parsed.verb, code.error());
  return ontime::flags::with_everything_written("ontime", status);
}
