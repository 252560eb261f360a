#pragma once
// Where searches begin, and what may happen in each: together all that can happen to a task.

#include <string>
#include <vector>

#include "tests/model/exploration.h"

namespace ontime::model {

struct Scene {
  std::string name;  // PascalCase
  Search search;
};

std::vector<Scene> scenes();

}  // namespace ontime::model
