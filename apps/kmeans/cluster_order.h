#pragma once
// The answer of kmeans: the movies of each cluster, the most alike first, and behind them the cluster's totals.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/app/application.h"

namespace ontime::apps {

// What is kept of a cluster while its movies pass, in the order of the answer.
class ClusterTotals {
 public:
  void begin(std::uint32_t cluster);
  void add(std::uint64_t movie, std::uint32_t cosine);
  bool is_empty() const { return movies_ == 0; }
  std::uint32_t cluster() const { return cluster_; }
  // `cluster<TAB>total<TAB>movies<TAB>mean cosine<TAB>movie whose cosine is closest to the mean`. The mean is rounded
  // down; of several closest ones the first is named.
  std::string line() const;

 private:
  std::uint64_t closest_movie() const;

  std::uint32_t cluster_ = 0;
  std::uint64_t movies_ = 0;
  std::uint64_t sum_ = 0;  // of cosines, in millionths
  // The first movie of each cosine: no more than a million and one, however many movies there are.
  std::vector<std::pair<std::uint32_t, std::uint64_t>> firsts_;
};

// Lines `cluster<TAB>movie<TAB>cosine`: by cluster, the highest cosine first, then by movie.
class ClusterOrder final : public app::Order {
 public:
  std::uint64_t rank(std::string_view line) const override;
  bool is_before(std::string_view a, std::string_view b) const override;
  void finish(std::string_view line, app::Output& answer) override;
  void finish_all(app::Output& answer) override;

 private:
  ClusterTotals totals_;
};

}  // namespace ontime::apps
