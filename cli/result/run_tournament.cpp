#include "cli/result/run_tournament.h"

#include <utility>

namespace ontime::cli {

Status RunTournament::begin() {
  for (Run& run : runs_)
    if (auto status = advance(run); !status) return status;
  losers_.assign(runs_.size(), 0);
  if (!runs_.empty()) winner_ = play(1);
  return {};
}

// Leaves are the nodes runs_.size() to 2 * runs_.size() - 1. Depth is log2 of their number.
std::size_t RunTournament::play(std::size_t node) {
  if (node >= runs_.size()) return node - runs_.size();
  std::size_t winner = play(2 * node);
  std::size_t loser = play(2 * node + 1);
  if (is_before(loser, winner)) std::swap(winner, loser);
  losers_[node] = loser;
  return winner;
}

Status RunTournament::next() {
  if (auto status = advance(runs_[winner_]); !status) return status;
  for (std::size_t node = (winner_ + runs_.size()) / 2; node > 0; node /= 2)
    if (is_before(losers_[node], winner_)) std::swap(losers_[node], winner_);
  return {};
}

Status RunTournament::advance(Run& run) {
  const auto there = run.reader.advance();
  if (!there) return there.error();
  run.is_over = !*there;
  if (run.is_over && run.reader.checksum() != run.checksum)
    return failed("what is to be sorted has changed while it was read");
  if (!run.is_over) run.rank = order_.rank(run.reader.record());
  return {};
}

bool RunTournament::is_before(std::size_t a, std::size_t b) const {
  const Run& left = runs_[a];
  const Run& right = runs_[b];
  if (left.is_over || right.is_over) return !left.is_over;
  if (left.rank != right.rank) return left.rank < right.rank;
  return order_.is_before(left.reader.record(), right.reader.record());
}

}  // namespace ontime::cli
