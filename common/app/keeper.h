#pragma once
// Who may change an application: the worker runs what lies in that file.

#include <sys/types.h>

#include <string>

#include "common/base/result.h"

namespace ontime::app {

// The user that runs it: a worker's, or who reads a result.
struct Keeper {
  uid_t user = 0;
  gid_t group = 0;
};

// BadInput, with one sentence, unless only root, the keeper and the owner of the running program (who could change that
// as well) can change the file or put another in its place: they own it and its directory, and nobody else may write
// them. The keeper's own group counts as the keeper.
Status check_kept(const std::string& path, const Keeper& keeper);

}  // namespace ontime::app
