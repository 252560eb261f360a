#include "tests/model/scenes.h"

namespace ontime::model {
namespace {

using Whats = std::vector<What>;

Whats all(const Whats& more) {
  using enum What;
  Whats together{Start, Map, Seal, Deliver, DeliverCrash, Break, Rejoin, RejoinRepeat, Restart, Wait};
  for (const What what : more) together.push_back(what);
  return together;
}

Choice of(What what, std::uint8_t who = 0) { return {what, who}; }

}  // namespace

std::vector<Scene> scenes() {
  using enum What;
  static const std::vector<Choice> kMapped{of(Start), of(Deliver, 0), of(Map)};
  static const std::vector<Choice> kCutAsked{of(Start), of(Deliver, 0), of(Map), of(Wait)};
  static const std::vector<Choice> kRace{of(Start), of(Deliver, 0), of(Map), of(Copy), of(Start, 1), of(Deliver, 1)};
  static const std::vector<Choice> kStandby{of(Start), of(Deliver, 0), of(Map), of(Give, 0)};
  static const std::vector<Choice> kCommitting{of(Start), of(Deliver), of(Map),    of(Map),
                                               of(Map),   of(Seal),    of(Deliver)};
  return {
      {"Launched", {{all({Fail, Die}), 2}, {}, 6}},
      {"CutAsked", {{all({Fail, Die}), 3}, kCutAsked, 6}},
      {"Race", {{all({Fail, End}), 2}, kRace, 6}},
      {"TailGiven", {{all({Fail}), 4}, kStandby, 6}},
      {"Speculated", {{all({Copy, Share, Give, End}), 4}, kMapped, 5}},
      {"Leaving", {{all({Drain, Leave, Die}), 3}, kMapped, 6}},
      {"Committing", {{all({Commit, CommitLost, Kill}), 3}, kCommitting, 6}},
  };
}

}  // namespace ontime::model
