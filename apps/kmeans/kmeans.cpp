// One step of k-means: every movie is given to the cluster whose centroid it is most like, and each cluster names the
// movie that may be its next centroid. PUMA's kmeans.

#include "apps/ratings/assigning_mapper.h"

namespace {

using namespace ontime::app;
using namespace ontime::apps;

// What is kept of a cluster while its movies pass, in the order of the answer.
class ClusterTotals {
 public:
  void begin(std::uint32_t cluster) {
    cluster_ = cluster;
    movies_ = sum_ = 0;
    firsts_.clear();
  }
  void add(std::uint64_t movie, std::uint32_t cosine) {
    ++movies_;
    sum_ += cosine;
    if (firsts_.empty() || firsts_.back().first != cosine) firsts_.emplace_back(cosine, movie);
  }
  bool is_empty() const { return movies_ == 0; }
  std::uint32_t cluster() const { return cluster_; }

  // `cluster<TAB>total<TAB>movies<TAB>mean cosine<TAB>movie whose cosine is closest to the mean`. The mean is rounded
  // down; of several closest ones the first is named. REQUIRES: !is_empty().
  std::string line() const {
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

 private:
  // Cosine times movies against the sum, which is the mean times movies.
  std::uint64_t closest_movie() const {
    const auto distance = [this](std::uint64_t cosine) {
      const std::uint64_t product = cosine * movies_;
      return product > sum_ ? product - sum_ : sum_ - product;
    };
    const auto* closest = &firsts_.front();
    for (const auto& first : firsts_)
      if (distance(first.first) < distance(closest->first)) closest = &first;
    return closest->second;
  }

  std::uint32_t cluster_ = 0;
  std::uint64_t movies_ = 0;
  std::uint64_t sum_ = 0;  // of cosines, in millionths
  // The first movie of each cosine: no more than a million and one, however many movies there are.
  std::vector<std::pair<std::uint32_t, std::uint64_t>> firsts_;
};

// Lines `cluster<TAB>movie<TAB>cosine`: by cluster, the highest cosine first, then by movie. Behind the movies of a
// cluster the answer has its totals.
class ClusterOrder final : public Order {
 public:
  std::uint64_t rank(std::string_view line) const override {
    const AssignedLine parsed = parse_assigned_line(line);
    return std::uint64_t{parsed.cluster} << 32 | (kMillion - parsed.cosine);
  }
  bool is_before(std::string_view a, std::string_view b) const override {
    return parse_assigned_line(a).movie < parse_assigned_line(b).movie;
  }
  void finish(std::string_view line, Output& answer) override {
    const AssignedLine parsed = parse_assigned_line(line);
    if (totals_.is_empty() || totals_.cluster() != parsed.cluster) {
      finish_all(answer);
      totals_.begin(parsed.cluster);
    }
    totals_.add(parsed.movie, parsed.cosine);
    Order::finish(line, answer);
  }
  void finish_all(Output& answer) override {
    if (totals_.is_empty()) return;
    Order::finish(totals_.line(), answer);
    totals_.begin(0);
  }

 private:
  ClusterTotals totals_;
};

class KMeansMapper final : public AssigningMapper {
 public:
  KMeansMapper() : AssigningMapper(std::make_unique<ClusterOrder>()) {}

 protected:
  void write_line(std::uint64_t movie, const Assignment& assignment, std::string& line) const override {
    append_number(line, assignment.cluster);
    line += '\t';
    append_number(line, movie);
    line += '\t';
    append_millionths(line, cosine_in_millionths(assignment.overlap));
  }
};

class KMeans final : public AssigningApplication {
 public:
  std::string description() const override { return "one step of k-means over movies, by who rated them how (PUMA)"; }
  std::unique_ptr<Mapper> make_mapper() const override { return std::make_unique<KMeansMapper>(); }
  std::unique_ptr<Order> make_order() const override { return std::make_unique<ClusterOrder>(); }
};

}  // namespace

ONTIME_APPLICATION(KMeans)
