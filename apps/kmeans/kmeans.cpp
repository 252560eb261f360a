// One step of k-means: every movie is given to the cluster whose centroid it is most like, and each cluster names the
// movie that may be its next centroid. PUMA's kmeans.

#include "apps/kmeans/cluster_order.h"
#include "apps/ratings/assigning_mapper.h"

namespace {

using namespace ontime::app;
using namespace ontime::apps;

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

class KMeans final : public Application {
 public:
  std::string description() const override { return "one step of k-means over movies, by who rated them how (PUMA)"; }
  std::vector<Parameter> parameters() const override { return {centroids_parameter()}; }
  void validate(const Parameters& given) const override { require_centroids(given); }
  std::unique_ptr<Mapper> make_mapper() const override { return std::make_unique<KMeansMapper>(); }
  std::unique_ptr<Order> make_order() const override { return std::make_unique<ClusterOrder>(); }
};

}  // namespace

ONTIME_APPLICATION(KMeans)
