#pragma once
// Many sorted runs as one: a tournament of losers, in which the next record costs one comparison per round.

#include <memory>
#include <vector>

#include "cli/result/run_reader.h"
#include "common/app/application.h"
#include "common/base/result.h"

namespace ontime::cli {

class RunTournament {
 public:
  explicit RunTournament(const app::Order& order) : order_(order) {}

  // Failed at the end of the run if what was read has another checksum.
  void add(RunReader reader, std::uint32_t checksum) { runs_.push_back({std::move(reader), checksum, 0, false}); }
  // To be called once, after the last add().
  Status begin();
  bool is_over() const { return runs_.empty() || runs_[winner_].is_over; }
  // The smallest record of all; valid until next(). REQUIRES: !is_over().
  std::string_view record() const { return runs_[winner_].reader.record(); }
  std::uint64_t rank() const { return runs_[winner_].rank; }
  Status next();

 private:
  struct Run {
    RunReader reader;
    std::uint32_t checksum;
    std::uint64_t rank;  // of its current record
    bool is_over;
  };
  Status advance(Run& run);
  bool is_before(std::size_t a, std::size_t b) const;
  std::size_t play(std::size_t node);

  const app::Order& order_;
  std::vector<Run> runs_;
  std::vector<std::size_t> losers_;  // a binary tree with runs_.size() leaves; [0] is not used
  std::size_t winner_ = 0;
};

}  // namespace ontime::cli
