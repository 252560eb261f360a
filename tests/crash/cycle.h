#pragma once
// One cycle: a fresh cluster, a job, the deaths of the plan, and a look at everything that was promised.

#include <string>

#include "tests/crash/plan.h"
#include "tests/crash/processes.h"

namespace ontime::test {

// What all cycles map, and the words of it with their counts as `ontime result` prints them.
struct Text {
  std::string path;
  std::string answer;
};
// Makes it in `directory`.
Text make_text(const std::string& directory);

struct Deaths {
  bool master = false;
  bool worker = false;
  bool disk = false;
};

// `directory` is empty and may be removed afterwards. Throws CycleFailed.
Deaths run_cycle(const std::string& directory, const Plan& plan, const Text& text);

}  // namespace ontime::test
