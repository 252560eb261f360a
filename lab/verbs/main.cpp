// The verbs that simulate, predict and compare; `ontime` becomes this program when it is asked for one of them.
#include "cli/command_line.h"
#include "common/flags/everything_written.h"
#include "lab/verbs/command.h"
#include "master/policies/own_policies.h"

int main(int argc, char** argv) {
  ontime::master::allow_own_policies(ontime::Duration::zero());
  return ontime::flags::with_everything_written(
      "ontime", ontime::cli::carry_out(ontime::lab::parse_lab_line({argv + 1, argv + argc})));
}
