#include "apps/ratings/assigning_mapper.h"

#include <stdexcept>

namespace ontime::apps {

app::Parameter centroids_parameter() {
  return {"centroids", "", "file with the movie of each cluster, as in the input; every worker reads it (needed)"};
}

void require_centroids(const app::Parameters& given) {
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
