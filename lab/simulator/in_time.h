#pragma once
// How many jobs one server can have done in time at most.

#include <cstddef>
#include <vector>

namespace ontime::lab {

// Wants `work` of the server's time between two instants. REQUIRES: work > 0.
struct Demand {
  double from;
  double to;
  double work;
};

// Which of them count as done in time: at least as many as any schedule has in time, preemptions for nothing and all
// demands known beforehand. The greatest part of each that can be done, summed up (a linear relaxation of what may be
// done in part), is no less; rounded down to a whole number it bounds the count.
std::vector<bool> most_in_time(const std::vector<Demand>& demands);

// When each is done if the one with the least work left goes first: no schedule has a shorter sum of times (L. Schrage,
// "A proof of the optimality of the shortest remaining processing time discipline", 1968). `to` does not matter.
std::vector<double> shortest_first(const std::vector<Demand>& demands);

}  // namespace ontime::lab
