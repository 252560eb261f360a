#pragma once
// The map phase of applications that give every movie to a cluster.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/ratings/centroids.h"
#include "apps/ratings/movie.h"
#include "apps/sorting/run_buffer.h"
#include "common/app/application.h"

namespace ontime::apps {

// The lines that say which cluster a movie belongs to: `cluster<TAB>movie` and, with a similarity,
// `cluster<TAB>movie<TAB>0.123456`.
struct AssignedLine {
  std::uint32_t cluster = 0;
  std::uint64_t movie = 0;
  std::uint32_t cosine = 0;  // in millionths; 0 where the line has none
};

// Throws std::runtime_error for another line.
AssignedLine parse_assigned_line(std::string_view line);

// Appends to `line`.
void append_number(std::string& line, std::uint64_t number);
void append_millionths(std::string& line, std::uint32_t millionths);

// Parameter and check that these applications share.
app::Parameter centroids_parameter();
void require_centroids(const app::Parameters& given);

class AssigningMapper : public app::Mapper {
 public:
  // `order` sorts the lines that write_line() makes.
  explicit AssigningMapper(std::unique_ptr<const app::Order> order) : order_(std::move(order)), runs_(*order_) {}

  void setup(app::Context& context) override;
  void map(const app::Batch& batch, app::Output& out) final;
  void flush(app::Output& out) final { runs_.flush(out); }

 protected:
  // What is written of a movie, without a line feed; `line` is empty.
  virtual void write_line(std::uint64_t movie, const Assignment& assignment, std::string& line) const = 0;

 private:
  bool parse(const app::Line& line);

  std::unique_ptr<const app::Order> order_;
  app::Context* context_ = nullptr;
  std::optional<Centroids> centroids_;
  std::uint64_t* movies_ = nullptr;  // counters
  std::uint64_t* ratings_ = nullptr;
  std::uint64_t* alone_ = nullptr;
  std::uint64_t* skipped_ = nullptr;
  Movie movie_;
  std::string line_;
  RunBuffer runs_;
};

}  // namespace ontime::apps
