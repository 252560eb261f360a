#include "apps/ratings/assigning_mapper.h"

#include <algorithm>
#include <bit>
#include <fstream>
#include <stdexcept>
#include <string>

namespace ontime::apps {

Centroids::Centroids(const std::string& path) {
  read(path);
  index();
}

void Centroids::read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::invalid_argument("the file of centroids '" + path + "' cannot be read");
  Movie movie;
  for (std::string line; std::getline(file, line);) {
    if (line.ends_with('\r')) line.pop_back();
    try {
      if (!parse_movie(line, movie)) continue;
    } catch (const std::runtime_error& error) {
      throw std::invalid_argument("the file of centroids '" + path + "': " + error.what());
    }
    const auto cluster = static_cast<std::uint32_t>(overlaps_.size());
    for (const Rating& rating : movie.ratings) opinions_.push_back({rating.user, cluster, rating.rating});
    overlaps_.emplace_back();
  }
  if (overlaps_.empty() || overlaps_.size() > kMost || opinions_.size() > kRatingsMost)
    throw std::invalid_argument("the file of centroids '" + path + "' has " + std::to_string(overlaps_.size()) +
                                " movies with " + std::to_string(opinions_.size()) + " ratings; it needs 1 to " +
                                std::to_string(kMost) + " movies with at most " + std::to_string(kRatingsMost));
}

void Centroids::index() {
  const auto by_user_and_cluster = [](const Opinion& a, const Opinion& b) {
    return a.user != b.user ? a.user < b.user : a.cluster < b.cluster;
  };
  std::stable_sort(opinions_.begin(), opinions_.end(), by_user_and_cluster);
  const auto is_repeated = [](const Opinion& a, const Opinion& b) {
    return a.user == b.user && a.cluster == b.cluster;
  };
  opinions_.erase(std::unique(opinions_.begin(), opinions_.end(), is_repeated), opinions_.end());
  slots_.resize(std::bit_ceil(2 * opinions_.size() + 2));
  shift_ = static_cast<unsigned>(64 - std::countr_zero(slots_.size()));
  for (std::uint32_t begin = 0, end = 0; begin < opinions_.size(); begin = end) {
    const std::uint32_t user = opinions_[begin].user;
    while (end < opinions_.size() && opinions_[end].user == user) ++end;
    slots_[slot_of(user)] = {user, begin, end};
  }
}

// Where the user is, or where there is room for him.
std::size_t Centroids::slot_of(std::uint32_t user) const {
  std::size_t slot = user * 0x9e3779b97f4a7c15 >> shift_;
  while (slots_[slot].user != user && slots_[slot].user != kNobody) slot = (slot + 1) & (slots_.size() - 1);
  return slot;
}

Assignment Centroids::assign(const Movie& movie) {
  std::fill(overlaps_.begin(), overlaps_.end(), Overlap{});
  for (const Rating& rating : movie.ratings) {
    const Slot& slot = slots_[slot_of(rating.user)];
    for (std::uint32_t i = slot.begin; i < slot.end; ++i)
      overlaps_[opinions_[i].cluster].add(rating.rating, opinions_[i].rating);
  }
  Assignment best{0, overlaps_[0]};
  for (std::uint32_t cluster = 1; cluster < overlaps_.size(); ++cluster)
    if (is_more_alike(overlaps_[cluster], best.overlap)) best = {cluster, overlaps_[cluster]};
  return best;
}

}  // namespace ontime::apps
