// The verbs that simulate, predict and compare; `ontime` becomes this program when it is asked for one of them.
#include <cstdio>
#include <mutex>
#include <set>
#include <string>

#include "cli/command_line.h"
#include "common/flags/everything_written.h"
#include "lab/verbs/command.h"
#include "master/policies/own_policies.h"

namespace {

// However many runs it fails in.
void tell_once(const std::string& sentence) {
  static std::mutex mutex;
  static std::set<std::string> told;
  const std::lock_guard lock(mutex);
  if (told.insert(sentence).second) std::fprintf(stderr, "%s\n", sentence.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  ontime::master::allow_own_policies(ontime::Duration::zero(), tell_once);
  return ontime::flags::with_everything_written(
      "ontime", ontime::cli::carry_out(ontime::lab::parse_lab_line({argv + 1, argv + argc})));
}
