// The verbs that simulate, predict and compare; `ontime` becomes this program when it is asked for one of them.
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>

#include "cli/command_line.h"
#include "common/flags/everything_written.h"
#include "lab/verbs/command.h"
#include "master/policies/own_policies.h"
#include "master/policies/watched_policy.h"

namespace {

// However many runs it fails in.
void tell_once(const std::string& sentence) {
  static std::mutex mutex;
  static std::set<std::string> told;
  const std::lock_guard lock(mutex);
  if (told.insert(sentence).second) std::fprintf(stderr, "%s\n", sentence.c_str());
}

void end(const std::string& why, bool) {
  std::fprintf(stderr, "ontime: %s\n", why.c_str());
  std::_Exit(static_cast<int>(ontime::cli::ExitCode::BadUsage));
}

}  // namespace

int main(int argc, char** argv) {
  ontime::master::end_at_hanging_policies(end);
  ontime::master::allow_own_policies(ontime::Duration::zero(), tell_once);
  return ontime::flags::with_everything_written(
      "ontime", ontime::cli::carry_out(ontime::lab::parse_lab_line({argv + 1, argv + argc})));
}
