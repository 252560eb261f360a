#pragma once
// Puts the output of several attempts together into one file, in the order of the input.

#include <string>

#include "common/base/result.h"
#include "master/commit.h"

namespace ontime::master {

// The _attempts directory: descriptor, and path for messages.
struct StitchPlace {
  int directory;
  std::string path;
};

// Writes `name` in the directory, complete and synced.
Status stitch(const StitchPlace& place, const Part& part, const std::string& name, const MayGoOn& may_go_on);

}  // namespace ontime::master
