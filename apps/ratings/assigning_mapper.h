#pragma once
// What applications that give every movie to a cluster share: the centroids, the lines of the answer, the map phase.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/ratings/movie.h"
#include "apps/sorting/run_buffer.h"
#include "common/app/application.h"

namespace ontime::apps {

struct Assignment {
  std::uint32_t cluster = 0;
  Overlap overlap;  // with the centroid of the cluster
};

// The movies that stand for clusters, ready to be compared with others: by user, who has rated which of them how.
class Centroids {
 public:
  static constexpr std::size_t kMost = 4096;

  // A file with a movie on each line; the first is cluster 0. Where a user has rated one of them twice, the first
  // rating counts. Throws std::invalid_argument with one sentence when the file cannot be used.
  explicit Centroids(const std::string& path);

  std::size_t size() const { return overlaps_.size(); }
  // The cluster whose centroid is most alike, the lowest of several; cluster 0 where none is alike at all.
  Assignment assign(const Movie& movie);

 private:
  // One user's rating of one centroid.
  struct Opinion {
    std::uint32_t user;
    std::uint32_t cluster;
    std::uint32_t rating;
  };
  struct Slot {
    std::uint32_t user = kNobody;
    std::uint32_t begin = 0;  // in opinions_
    std::uint32_t end = 0;
  };
  static constexpr std::uint32_t kNobody = UINT32_MAX;

  void read(const std::string& path);
  void index();
  std::size_t slot_of(std::uint32_t user) const;

  std::vector<Opinion> opinions_;  // by user, then by cluster
  std::vector<Slot> slots_;        // a power of two, at most half full
  unsigned shift_ = 0;
  std::vector<Overlap> overlaps_;  // by cluster, of the movie that is looked at
};

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

class AssigningApplication : public app::Application {
 public:
  std::vector<app::Parameter> parameters() const override;
  void validate(const app::Parameters& given) const override;
};

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
