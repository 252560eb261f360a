#pragma once
// How the records of a job are told apart by a command that reads them one behind another.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "common/app/application.h"

namespace ontime::apps {

class Framing {
 public:
  // none: as they stand in the input. lines: each with a line feed; nul: with a NUL byte; netstring: 5:bytes,
  // Throws std::invalid_argument for other names.
  explicit Framing(std::string_view name);

  bool is_none() const { return how_ == How::None; }
  // What a command gets of the batch; valid until asked again.
  std::string_view frame(const app::Batch& batch);
  // Of that, the bytes of one of its records.
  std::size_t framed_size(const app::Records::Iterator& record) const;

 private:
  enum class How { None, Lines, Nul, Netstring };
  How how_ = How::None;
  std::string framed_;
};

// How far in the input a command has got, by how much it has read of what it was sent.
class Sent {
 public:
  // So many bytes of a record were sent that ends there in the input.
  void add(std::size_t bytes, std::uint64_t input_end) { ends_.push_back({sent_ += bytes, input_end}); }
  // The last `bytes` were not sent after all; they are whole records.
  void take_back(std::size_t bytes);
  // The input's offset below which everything was read, if there is a new one.
  std::uint64_t input_end(std::uint64_t read, std::uint64_t known);

 private:
  struct End {
    std::uint64_t sent = 0;
    std::uint64_t input = 0;
  };
  std::uint64_t sent_ = 0;
  std::deque<End> ends_;  // of what may not have been read
};

}  // namespace ontime::apps
