#include "apps/ratings/assigning_mapper.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace ontime::apps {
namespace {

constexpr std::size_t kCosineSize = 8;  // 0.123456

template <class Number>
bool take_number(const char*& at, const char* end, Number& number) {
  const auto [stop, error] = std::from_chars(at, end, number);
  at = stop;
  return error == std::errc();
}

// `at` stands at a tab, and a cosine fills the rest.
bool take_cosine(const char* at, const char* end, std::uint32_t& cosine) {
  if (static_cast<std::size_t>(end - at) != 1 + kCosineSize || at[2] != '.') return false;
  const char* fraction = at + 3;
  if (!take_number(fraction, end, cosine) || fraction != end) return false;
  cosine += at[1] == '1' ? kMillion : 0;
  return cosine <= kMillion;
}

}  // namespace

AssignedLine parse_assigned_line(std::string_view line) {
  AssignedLine parsed;
  const char* at = line.data();
  const char* const end = at + line.size();
  const bool is_pair =
      take_number(at, end, parsed.cluster) && at != end && *at == '\t' && take_number(++at, end, parsed.movie);
  if (!is_pair || (at != end && !(*at == '\t' && take_cosine(at, end, parsed.cosine))))
    throw std::runtime_error("\"" + std::string(line.substr(0, 40)) + "\" is not a line of clusters and movies");
  return parsed;
}

void append_number(std::string& line, std::uint64_t number) {
  char digits[20];
  line.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

void append_millionths(std::string& line, std::uint32_t millionths) {
  char digits[7];  // one more digit in front keeps the zeros
  std::to_chars(digits, digits + sizeof digits, kMillion + millionths % kMillion);
  line += millionths < kMillion ? "0." : "1.";
  line.append(digits + 1, 6);
}

std::vector<app::Parameter> AssigningApplication::parameters() const {
  return {{"centroids", "", "file with the movie of each cluster, as in the input; every worker reads it (needed)"}};
}

void AssigningApplication::validate(const app::Parameters& given) const {
  if (given.get("centroids").empty())
    throw std::invalid_argument("a file with the movie of each cluster is needed: --set centroids=FILE");
}

void AssigningMapper::setup(app::Context& context) {
  context_ = &context;
  centroids_.emplace(context.get("centroids"));
  movies_ = &context.counter("ratings", "movies");
  ratings_ = &context.counter("ratings", "ratings");
  alone_ = &context.counter("ratings", "movies like no centroid");
  skipped_ = &context.counter("ratings", "lines skipped");
}

void AssigningMapper::map(const app::Batch& batch, app::Output& out) {
  for (const app::Line line : batch.lines()) {
    if (!parse(line)) {
      ++*skipped_;
      continue;
    }
    const Assignment assignment = centroids_->assign(movie_);
    ++*movies_;
    *ratings_ += movie_.ratings.size();
    if (assignment.overlap.products == 0) ++*alone_;
    line_.clear();
    write_line(movie_.id, assignment, line_);
    runs_.add(line_, out);
  }
}

bool AssigningMapper::parse(const app::Line& line) try {
  return parse_movie(line.text, movie_);
} catch (const std::runtime_error& error) {
  throw std::runtime_error(std::string(error.what()) + "; it stands in the line at byte " +
                           std::to_string(line.offset) + " of " + context_->input_path());
}

Centroids::Centroids(const std::string& path) {
  read(path);
  index();
}

void Centroids::read(const std::string& path) {
  if (!std::filesystem::is_regular_file(path))  // and not a device or a pipe that never ends
    throw std::invalid_argument("the file of centroids '" + path + "' is not there, or is no file");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::invalid_argument("the file of centroids '" + path + "' cannot be read");
  Movie movie;
  std::uint64_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    try {
      if (!parse_movie(line, movie)) continue;
    } catch (const std::runtime_error&) {  // its text is kept to itself: a job can name any file of the worker's user
      throw std::invalid_argument("line " + std::to_string(number) + " of the file of centroids '" + path +
                                  "' is not a movie with ratings (movie:user_rating,user_rating,...)");
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
