#include "apps/kmeans/cluster_order.h"

#include "apps/ratings/assigning_mapper.h"
#include "apps/ratings/movie.h"

namespace ontime::apps {

void ClusterTotals::begin(std::uint32_t cluster) {
  cluster_ = cluster;
  movies_ = sum_ = 0;
  firsts_.clear();
}

void ClusterTotals::add(std::uint64_t movie, std::uint32_t cosine) {
  ++movies_;
  sum_ += cosine;
  if (firsts_.empty() || firsts_.back().first != cosine) firsts_.emplace_back(cosine, movie);
}

// Cosine times movies against the sum, which is the mean times movies. REQUIRES: !is_empty().
std::uint64_t ClusterTotals::closest_movie() const {
  const auto distance = [this](std::uint64_t cosine) {
    const std::uint64_t product = cosine * movies_;
    return product > sum_ ? product - sum_ : sum_ - product;
  };
  const auto* closest = &firsts_.front();
  for (const auto& first : firsts_)
    if (distance(first.first) < distance(closest->first)) closest = &first;
  return closest->second;
}

std::string ClusterTotals::line() const {
  std::string line;
  append_number(line, cluster_);
  line += "\ttotal\t";
  append_number(line, movies_);
  line += '\t';
  append_millionths(line, static_cast<std::uint32_t>(sum_ / movies_));
  line += '\t';
  append_number(line, closest_movie());
  return line;
}

std::uint64_t ClusterOrder::rank(std::string_view line) const {
  const AssignedLine parsed = parse_assigned_line(line);
  return std::uint64_t{parsed.cluster} << 32 | (kMillion - parsed.cosine);
}

bool ClusterOrder::is_before(std::string_view a, std::string_view b) const {
  return parse_assigned_line(a).movie < parse_assigned_line(b).movie;
}

void ClusterOrder::finish(std::string_view line, app::Output& answer) {
  const AssignedLine parsed = parse_assigned_line(line);
  if (totals_.is_empty() || totals_.cluster() != parsed.cluster) {
    finish_all(answer);
    totals_.begin(parsed.cluster);
  }
  totals_.add(parsed.movie, parsed.cosine);
  answer.write(line);
  answer.write("\n");
}

void ClusterOrder::finish_all(app::Output& answer) {
  if (totals_.is_empty()) return;
  answer.write(totals_.line());
  answer.write("\n");
  totals_.begin(0);
}

}  // namespace ontime::apps
