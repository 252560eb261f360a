#pragma once
// The records of a stretch of a file, one after another, as an app::Order divides them.

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "common/app/application.h"
#include "common/base/descriptor.h"
#include "common/base/result.h"

namespace ontime::cli {

class RunReader {
 public:
  // Is given all bytes in the order in which they are read; its error ends the reading.
  using OnRead = std::function<Status(std::string_view)>;

  // Reads [begin, end) of `descriptor`, which must outlive this, `block_bytes` at a time or more for a long record.
  RunReader(int descriptor, std::uint64_t begin, std::uint64_t end, app::RecordBytes record_bytes,
            std::size_t block_bytes, OnRead on_read = {});

  // Moves to the next record; false at the end.
  Result<bool> advance();

  // Of the current record; the view is valid until advance().
  std::string_view record() const { return {buffer_.data() + begin_, size_}; }
  std::uint64_t offset() const { return offset_; }
  // Of all records before the current one, since the start or the last renewal; at the end, of all.
  std::uint32_t checksum() const { return checksum_; }
  void renew_checksum() { checksum_ = 0; }

 private:
  Status fill();

  int descriptor_;
  std::uint64_t next_read_;  // in the file, of what stands at end_
  std::uint64_t end_of_run_;
  app::RecordBytes record_bytes_;
  std::size_t block_bytes_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // of the current record in buffer_
  std::size_t size_ = 0;   // of it, without its line feed
  std::size_t whole_ = 0;  // of it, with its line feed
  std::size_t end_ = 0;    // of what is in buffer_
  std::uint64_t offset_;   // of the current record in the file
  std::uint32_t checksum_ = 0;
  OnRead on_read_;
};

// Many sorted runs as one: a tournament of losers, in which the next record costs one comparison per round.
class RunTournament {
 public:
  explicit RunTournament(const app::Order& order) : order_(order) {}

  // Failed at the end of the run if what was read has another checksum.
  void add(RunReader reader, std::uint32_t checksum) { runs_.push_back({std::move(reader), checksum, 0, false}); }
  // To be called once, after the last add().
  Status begin();
  bool is_over() const { return runs_.empty() || runs_[winner_].is_over; }
  // The smallest record of all; valid until next(). REQUIRES: !is_over().
  std::string_view record() const { return runs_[winner_].reader.record(); }
  std::uint64_t rank() const { return runs_[winner_].rank; }
  Status next();

 private:
  struct Run {
    RunReader reader;
    std::uint32_t checksum;
    std::uint64_t rank;  // of its current record
    bool is_over;
  };
  Status advance(Run& run);
  bool is_before(std::size_t a, std::size_t b) const;
  std::size_t play(std::size_t node);

  const app::Order& order_;
  std::vector<Run> runs_;
  std::vector<std::size_t> losers_;  // a binary tree with runs_.size() leaves; [0] is not used
  std::size_t winner_ = 0;
};

}  // namespace ontime::cli
