#include "apps/ratings/assigning_mapper.h"

#include <charconv>
#include <stdexcept>

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

}  // namespace ontime::apps
