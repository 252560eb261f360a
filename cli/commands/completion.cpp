// The scripts only ask the program what may come next (`ontime --complete WORDS`), so that they never fall behind it.
#include <cstdio>

#include "cli/commands/execute.h"

namespace ontime::cli {
namespace {

constexpr const char* kBash = R"(_ontime() {
  local IFS=$'\n'
  COMPREPLY=($("$1" --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _ontime ontime ontime-master ontime-worker
)";

constexpr const char* kZsh = R"(#compdef ontime ontime-master ontime-worker
compdef _ontime ontime ontime-master ontime-worker
_ontime() {
  local -a found
  found=("${(@f)$("${words[1]}" --complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -z "$found" ]]; then
    _files
  else
    found=("${(@)found//:/\\:}")
    found=("${(@)found/$'\t'/:}")
    _describe ontime found
  fi
}
if [[ "${funcstack[1]}" == _ontime ]]; then _ontime "$@"; fi
)";

constexpr const char* kFish = R"(function __ontime_complete
  set -l words (commandline -opc) (commandline -ct)
  $words[1] --complete $words[2..-1] 2>/dev/null
end
for program in ontime ontime-master ontime-worker
  complete -c $program -f -n 'count (__ontime_complete) >/dev/null' -a '(__ontime_complete)'
end
)";

}  // namespace

Result<ExitCode> execute(const CompletionCommand& command) {
  std::fputs(command.shell == "bash" ? kBash : command.shell == "zsh" ? kZsh : kFish, stdout);
  return ExitCode::Done;
}

}  // namespace ontime::cli
