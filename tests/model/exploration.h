#pragma once
// A breadth-first search through all orders of choices (modelled_cluster.h). Histories that lead to the same place count
// once: places are merged by their fingerprint.

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "tests/model/modelled_cluster.h"

namespace ontime::model {

struct Search {
  Rules rules;
  std::vector<Choice> begin;         // what has happened before the search
  std::size_t depth = 4;             // choices after that
  std::uint32_t every_nth_ends = 8;  // of the places found: whether the job can still end from there; 1: of all
  bool merges = true;
};

struct Findings {
  std::string broken;       // the first thing that was wrong, with the choices that lead there; empty: nothing
  std::size_t choices = 0;  // taken, one by one
  std::size_t ends_tried = 0;
  std::unordered_set<std::uint64_t> places;  // fingerprints
};

// A check that fails within the shipped code counts as wrong too (set_check_handler; restored to none).
Findings explore(const Search& search);

}  // namespace ontime::model
