#include "master/policies/own_policies.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <exception>
#include <stdexcept>
#include <utility>

#include "common/app/loaded_application.h"
#include "common/base/utf8.h"
#include "master/policies/remote_policy.h"
#include "master/policies/watched_policy.h"
#include "scheduler/policies/own_policy.h"
#include "scheduler/policies/policy_files.h"

namespace ontime::master {
namespace {

using scheduler::Parameters;
using scheduler::PolicyInterface;

using Maker = scheduler::Policy* (*)(Parameters&);

std::atomic<Duration> usual_budget{Duration::zero()};
std::atomic<Tell> teller{nullptr};

// Its sentence is whole.
class Refused : public std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

[[noreturn]] void refuse(const std::string& why) { throw Refused(without_controls(why, "", NotUtf8::IsReplaced)); }

std::string in_words(const PolicyInterface& interface) {
  return std::to_string(interface.number) + "-" + std::to_string(interface.layout);
}

// What the shared object offers, made by ONTIME_POLICY. It stays loaded until the process ends.
Maker open(const std::string& file) {
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) refuse(std::string("cannot load the policy: ") + ::dlerror());
  const auto* interface = static_cast<const PolicyInterface*>(::dlsym(library, "ontime_policy_interface"));
  void* const maker = ::dlsym(library, "ontime_policy");
  if (interface == nullptr || maker == nullptr) refuse(file + " is no policy of ontime: it lacks ONTIME_POLICY(...)");
  if (*interface != scheduler::kPolicyInterface) {
    refuse("the policy " + file + " was built for interface " + in_words(*interface) + ", this program has interface " +
           in_words(scheduler::kPolicyInterface) + "; build it again");
  }
  return reinterpret_cast<Maker>(maker);
}

std::unique_ptr<scheduler::Policy> make(const std::string& file, Parameters& parameters, Duration budget) {
  if (const Status kept = app::check_kept(file, {::geteuid(), ::getegid()}, "policy"); !kept)
    refuse(kept.error().message);
  const bool is_elsewhere = is_planned_elsewhere(file);
  const auto made = [&] {
    return is_elsewhere ? make_remote_policy(file, parameters.rest(), budget)
                        : std::unique_ptr<scheduler::Policy>(open(file)(parameters));
  };
  // A process is ended at its budget, and the policy gives way. To give way without one would be a result that hangs on
  // how busy the machine is.
  return is_elsewhere && budget > Duration::zero() ? made() : watched(file, budget, made);
}

// Plans nothing.
class Nothing final : public scheduler::Policy {
  scheduler::Plan plan(const scheduler::View&) override { return {}; }
};

std::unique_ptr<scheduler::Policy> load(const std::string& file, Parameters& parameters) {
  const Duration budget = from_seconds(parameters.duration("budget", seconds(usual_budget.load())));
  if (has_hung(file)) {
    parameters.rest();
    return guarded(file, std::make_unique<Nothing>(), budget, teller, "it did not return to the master before");
  }
  std::unique_ptr<scheduler::Policy> policy;
  try {
    policy = make(file, parameters, budget);
  } catch (const Refused&) {
    throw;
  } catch (const std::exception& thrown) {  // a parameter that it refuses, most likely
    refuse("the policy " + file + " cannot start: " + thrown.what());
  } catch (...) {
    refuse("the policy " + file + " cannot start: it throws something that is no std::exception");
  }
  if (!policy) refuse("the policy " + file + " offers nothing");
  return guarded(file, std::move(policy), budget, teller);
}

}  // namespace

void allow_own_policies(Duration budget, Tell tell) {
  usual_budget = budget;
  teller = tell;
  scheduler::load_policies_with(load);
}

}  // namespace ontime::master
