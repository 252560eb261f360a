#include <spdlog/spdlog.h>

#include <cstdlib>

#include "common/log/fields.h"
#include "common/log/log.h"
#include "master/policies/own_policies.h"
#include "master/policies/watched_policy.h"
#include "master/program.h"

namespace {

// A next master that does not know of the policy would hang too: as for what cannot be right, none is to be started.
void end(const std::string& why, bool is_noted) {
  spdlog::critical("policy_hangs reason={}", ontime::log::Quoted{why});
  spdlog::default_logger()->flush();
  ontime::log::say("ontime-master: " + why + "\n");
  std::_Exit(is_noted ? 1 : 2);
}

void prepare(const std::string& state_directory) {
  ontime::master::note_hanging_policies_in(state_directory + "/hung-policies");
}

}  // namespace

int main(int argc, char** argv) {
  ontime::master::end_at_hanging_policies(end);
  ontime::master::allow_own_policies(ontime::master::kLookMost);
  return ontime::master::main_of(argc, argv, prepare);
}
