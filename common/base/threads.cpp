#include "common/base/threads.h"

#include <system_error>

namespace ontime {

std::vector<std::jthread> start_helpers(std::size_t count, const std::function<void()>& work) {
  std::vector<std::jthread> helpers;
  try {
    while (helpers.size() < count) helpers.emplace_back(work);
  } catch (const std::system_error&) {
    // Those that there are will do.
  }
  return helpers;
}

}  // namespace ontime
