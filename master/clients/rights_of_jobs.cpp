#include "master/clients/rights_of_jobs.h"

#include <algorithm>

#include "master/submissions/notify.h"
#include "scheduler/policies/policy_files.h"

namespace ontime::master {

std::optional<std::string> need_for_code(const wire::JobSpec& request, const std::optional<net::Right>& needed,
                                         const net::Guest& guest) {
  if (needed && guest.rights.has(*needed)) return std::nullopt;
  const bool loads_file = scheduler::is_policy_file(request.settings().policy());
  if (!loads_file && std::ranges::none_of(request.notify(), is_command_notice)) return std::nullopt;
  if (!needed && loads_file)
    return "This master loads no policies for jobs; start it with --policy FILE, or with --notify-commands.";
  if (!needed)
    return "This master runs no commands for --notify; give a URL, or start the master with --notify-commands.";
  const std::string what = loads_file ? "--policy loads a file" : "--notify runs commands";
  return net::describe_refusal(what + " with the master's rights and needs the role admin", guest.credentials);
}

}  // namespace ontime::master
