#pragma once
// Which planted errors are found where.

#include <string_view>

namespace ontime {

// What the search through all orders of events finds, and in which of its scenes (tests/model/scenes.h).
struct FoundBySearch {
  std::string_view error;
  std::string_view scene;
};
inline constexpr FoundBySearch kFoundBySearch[] = {
    {"committed-again", "Committing"},
    {"cut-loses-a-byte", "Launched"},
    {"epoch-not-raised", "Launched"},
    {"fenced-seal-accepted", "Launched"},
    {"kill-not-recorded", "Race"},
    {"killed-while-committed", "Committing"},
    {"lost-node-keeps-attempt", "Launched"},
    {"order-begin-not-repeated", "TailGiven"},
    {"order-raced-tail-divided", "Speculated"},
    {"released-rest-lost", "Launched"},
    {"released-too-early", "Leaving"},
    {"resumed-too-far", "Launched"},
    {"silence-looked-at-once", "Launched"},
};

}  // namespace ontime
