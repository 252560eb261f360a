#pragma once
// The recordings of a journal: one file for each epoch, in a directory inside the journal's.

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.h"

namespace ontime::recording {

struct EpochFile {
  std::uint64_t epoch = 0;
  std::string path;
  std::uint64_t bytes = 0;
};

std::string recordings_of(const std::string& journal_directory);  // its directory
std::string path_of(const std::string& recordings, std::uint64_t epoch);
// In order of epoch; other files are left out. Empty if there is no such directory.
std::vector<EpochFile> list_epochs(const std::string& recordings);
// All epochs in one file, without the tails that crashes cut off. Failed if there are none.
Status join_epochs(const std::string& recordings, const std::string& into);

}  // namespace ontime::recording
