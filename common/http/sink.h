#pragma once
// Where the bytes of an answer go.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace ontime::http {

class Sink {
 public:
  virtual ~Sink() = default;
  // Where the next ones are put; may let them wait. Empty: no more are wanted.
  virtual std::span<char> room() = 0;
  // So many of the room are there.
  virtual void add(std::size_t size) = 0;
};

// Memory that is to be filled.
class BufferSink final : public Sink {
 public:
  explicit BufferSink(std::span<char> left) : left_(left) {}
  std::span<char> room() override { return left_; }
  void add(std::size_t size) override { left_ = left_.subspan(size); }

 private:
  std::span<char> left_;
};

// A text that becomes at most so long.
class TextSink final : public Sink {
 public:
  TextSink(std::string& text, std::size_t bytes_max) : text_(text), bytes_max_(bytes_max) {}
  std::span<char> room() override;
  void add(std::size_t size) override { text_.append(piece_, 0, size); }

 private:
  std::string& text_;
  const std::size_t bytes_max_;
  std::string piece_{};
};

// Another one, of which at most so many bytes are wanted here.
class CountedSink final : public Sink {
 public:
  CountedSink(Sink& sink, std::uint64_t bytes_max) : sink_(sink), bytes_max_(bytes_max) {}
  std::span<char> room() override;
  void add(std::size_t size) override;
  std::uint64_t added() const { return added_; }

 private:
  Sink& sink_;
  const std::uint64_t bytes_max_;
  std::uint64_t added_ = 0;
};

}  // namespace ontime::http
