#include "lab/faults/replayed.h"

#include "master/recording/block.h"
#include "master/recording/parity.h"
#include "master/recording/reader.h"

namespace ontime::lab::faults {
namespace {

std::string replay(const std::string& path) {
  auto reader = recording::Reader::open(path);
  if (!reader) return "";
  recording::Parity parity;
  for (;;) {
    const auto entry = reader->next();
    if (!entry || !*entry || !parity.feed(**entry)) break;
  }
  for (const recording::EpochReport& epoch : parity.epochs()) {
    if (!epoch.difference) continue;
    return "step " + std::to_string(epoch.difference->step) + " of epoch " + std::to_string(epoch.epoch) +
           " is decided differently in a replay";
  }
  return "";
}

}  // namespace

std::string replay_recordings(const std::string& journal) {
  for (const auto& file : recording::list_epochs(recording::recordings_of(journal))) {
    if (std::string difference = replay(file.path); !difference.empty()) return difference;
  }
  return "";
}

}  // namespace ontime::lab::faults
