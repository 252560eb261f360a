#include "tests/model/exploration.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "common/base/check.h"

namespace ontime::model {
namespace {

class Explorer {
 public:
  explicit Explorer(const Search& search) : search_(search) {}

  Findings run() {
    if (const auto root = arrive(0)) {
      found_.places.insert(root->fingerprint());
      look(*root, 0);
    }
    std::size_t level = 0;
    for (std::size_t depth = 0; depth < search_.depth && found_.broken.empty(); ++depth) {
      const std::size_t end = places_.size();
      for (; level < end && found_.broken.empty(); ++level) expand(level);
    }
    return std::move(found_);
  }

 private:
  struct Place {
    std::size_t from = 0;
    Choice by;
  };

  // A scheduler cannot be copied: it is given the same events again, and comes to the same place.
  std::unique_ptr<ModelledCluster> arrive(std::size_t place) {
    std::unique_ptr<ModelledCluster> cluster;
    try {
      cluster = std::make_unique<ModelledCluster>(search_.rules);
      cluster->look(place == 0);
      for (const Choice& choice : search_.begin) cluster->take(choice);
      for (const Choice& choice : way_to(place)) cluster->take(choice);
      cluster->look(true);
    } catch (const std::runtime_error& check) {
      complain(check.what(), place);
      return nullptr;
    }
    if (cluster->broken().empty()) return cluster;
    complain(cluster->broken(), place, cluster.get());
    return nullptr;
  }

  void expand(std::size_t place) {
    std::unique_ptr<ModelledCluster> here = arrive(place);
    if (here == nullptr) return;
    const std::vector<Choice> choices = here->choices();
    for (const Choice& choice : choices) {
      if (here == nullptr) here = arrive(place);
      if (here == nullptr || !found_.broken.empty()) return;
      places_.push_back({place, choice});
      if (!visit(*here, choice)) places_.pop_back();
      here.reset();
    }
  }

  // Whether it is a new place, which is the last of places_.
  bool visit(ModelledCluster& cluster, const Choice& choice) {
    const std::size_t place = places_.size() - 1;
    ++found_.choices;
    try {
      cluster.take(choice);
    } catch (const std::runtime_error& check) {
      complain(check.what(), place);
      return true;
    }
    const bool is_new = found_.places.insert(cluster.fingerprint()).second;
    if (!cluster.broken().empty()) complain(cluster.broken(), place, &cluster);
    if (is_new) look(cluster, place);
    return is_new || !search_.merges;
  }

  void look(ModelledCluster& cluster, std::size_t place) {
    try {
      if (const std::string wrong = cluster.compare(); !wrong.empty()) return complain(wrong, place, &cluster);
      if (place % search_.every_nth_ends != 0) return;
      ++found_.ends_tried;
      const bool has_ended = cluster.end_well();
      if (!cluster.broken().empty()) return complain(cluster.broken() + ", when all is mended", place, &cluster);
      if (!has_ended) complain("the job does not end though all is mended", place, &cluster);
    } catch (const std::runtime_error& check) {
      complain(check.what(), place);
    }
  }

  std::vector<Choice> way_to(std::size_t place) const {
    std::vector<Choice> way;
    for (; place != 0; place = places_[place].from) way.push_back(places_[place].by);
    std::reverse(way.begin(), way.end());
    return way;
  }

  void complain(const std::string& wrong, std::size_t place, const ModelledCluster* cluster = nullptr) {
    if (!found_.broken.empty()) return;
    found_.broken = wrong + "\n  after:";
    for (const Choice& choice : search_.begin) found_.broken += " " + name_of(choice) + ",";
    found_.broken += "\n  then:";
    for (const Choice& choice : way_to(place)) found_.broken += " " + name_of(choice) + ",";
    if (cluster == nullptr) return;
    found_.broken += "\n  the journal:";
    for (const scheduler::JournalRecord& record : cluster->journal()) {
      found_.broken += "\n    " + describe(record.fact, scheduler::Ids::Own);
    }
  }

  const Search& search_;
  std::vector<Place> places_{1};  // the first is where the search begins
  Findings found_;
};

}  // namespace

Findings explore(const Search& search) {
  set_check_handler([](const char* sentence) { throw std::runtime_error(sentence); });
  Findings found = Explorer(search).run();
  set_check_handler(nullptr);
  return found;
}

}  // namespace ontime::model
