// Gives every movie to the class whose movie it is most like: PUMA's classification.

#include <algorithm>

#include "apps/ratings/assigning_mapper.h"

namespace {

using namespace ontime::app;
using namespace ontime::apps;

// Lines `cluster<TAB>movie`, by cluster, then by movie.
class MemberOrder final : public Order {
 public:
  std::uint64_t rank(std::string_view line) const override {
    constexpr std::uint64_t kMovieMost = (std::uint64_t{1} << 48) - 1;
    const AssignedLine parsed = parse_assigned_line(line);
    return std::uint64_t{parsed.cluster} << 48 | std::min(parsed.movie, kMovieMost);
  }
  bool is_before(std::string_view a, std::string_view b) const override {
    return parse_assigned_line(a).movie < parse_assigned_line(b).movie;
  }
};

class ClassificationMapper final : public AssigningMapper {
 public:
  ClassificationMapper() : AssigningMapper(std::make_unique<MemberOrder>()) {}

 protected:
  void write_line(std::uint64_t movie, const Assignment& assignment, std::string& line) const override {
    append_number(line, assignment.cluster);
    line += '\t';
    append_number(line, movie);
  }
};

class Classification final : public AssigningApplication {
 public:
  std::string description() const override { return "the cluster of each movie, by who rated it how (PUMA)"; }
  std::unique_ptr<Mapper> make_mapper() const override { return std::make_unique<ClassificationMapper>(); }
  std::unique_ptr<Order> make_order() const override { return std::make_unique<MemberOrder>(); }
};

}  // namespace

ONTIME_APPLICATION(Classification)
