#pragma once
// Where the bytes of an answer go.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace httplib {
class ClientImpl;
}  // namespace httplib

namespace ontime::http {

class Connection;
class Watchdog;

class Sink {
 public:
  virtual ~Sink() = default;
  // Where the next ones are put; may let them wait. Empty: no more are wanted.
  virtual std::span<char> room() = 0;
  // So many of the room are there.
  virtual void add(std::size_t size) = 0;
};

// False: not all of them are wanted.
bool put(Sink& sink, const char* bytes, std::size_t size);

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
class CountedSink : public Sink {
 public:
  CountedSink(Sink& sink, std::uint64_t bytes_max) : sink_(sink), bytes_max_(bytes_max) {}
  std::span<char> room() override;
  void add(std::size_t size) override;
  std::uint64_t added() const { return added_; }
  // The other one wanted no more.
  bool is_full() const { return is_full_; }

 private:
  Sink& sink_;
  const std::uint64_t bytes_max_;
  std::uint64_t added_ = 0;
  bool is_full_ = false;
};

// The sink of one request. The watchdog does not count the time for which bytes wait here. As soon as nobody waits for
// the request, no more bytes are wanted.
class GuardedSink final : public CountedSink {
 public:
  GuardedSink(Sink& sink, std::uint64_t bytes_max, const Connection& connection, Watchdog& watchdog,
              httplib::ClientImpl& client)
      : CountedSink(sink, bytes_max), connection_(connection), watchdog_(watchdog), client_(client) {}
  std::span<char> room() override;
  void add(std::size_t size) override;

 private:
  const Connection& connection_;
  Watchdog& watchdog_;
  httplib::ClientImpl& client_;
};

}  // namespace ontime::http
