#include <spdlog/spdlog.h>

#include <cstdlib>

#include "common/log/fields.h"
#include "common/log/log.h"
#include "master/policies/own_policies.h"
#include "master/policies/watched_policy.h"
#include "master/program.h"

namespace {

// As for what cannot be right: with the same policy the next master would hang too, so none is to be started.
void end(const std::string& why) {
  ontime::log::say("ontime-master: " + why + "\n");
  spdlog::critical("policy_hangs reason={}", ontime::log::Quoted{why});
  spdlog::default_logger()->flush();
  std::_Exit(2);
}

}  // namespace

int main(int argc, char** argv) {
  ontime::master::end_at_hanging_policies(end);
  ontime::master::allow_own_policies(ontime::master::kLookMost);
  return ontime::master::main_of(argc, argv);
}
