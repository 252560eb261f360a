#pragma once
// Where a mapper writes: a buffer in front of the attempt's output file. Text output is `key<TAB>value<LF>` lines.
// The buffer is plain memory, so a line costs no virtual call; only a full buffer does. One thread at a time.

#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ontime::app {

class Output {
 public:
  virtual ~Output() = default;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // Room for `size` bytes in a row; say with commit() how many of them were written. Any size is served.
  char* reserve(std::size_t size) {
    if (static_cast<std::size_t>(end_ - next_) < size) make_room(size);
    return next_;
  }
  void commit(std::size_t size) { next_ += size; }

  void write(std::string_view bytes) {
    put(reserve(bytes.size()), bytes);
    commit(bytes.size());
  }

  // One line of output. Throws std::invalid_argument if the key holds a tab or a line end, or the value a line end: the
  // record would be read as another one.
  void record(std::string_view key, std::string_view value) {
    if (holds(key, '\t') || holds(key, '\n') || holds(value, '\n')) refuse(key);
    const std::size_t size = key.size() + value.size() + 2;
    char* to = reserve(size);
    put(to, key);
    to[key.size()] = '\t';
    put(to + key.size() + 1, value);
    to[size - 1] = '\n';
    commit(size);
  }

 protected:
  Output() = default;
  // Must leave at least `size` bytes between next_ and end_, keeping in order what was committed before.
  virtual void make_room(std::size_t size) = 0;

  static bool holds(std::string_view bytes, char byte) {
    return !bytes.empty() && std::memchr(bytes.data(), byte, bytes.size()) != nullptr;
  }
  [[noreturn]] static void refuse(std::string_view key) {
    throw std::invalid_argument(
        "a key of the output holds a tab or a line end, or its value a line end; the key begins '" +
        std::string(key.substr(0, 40)) + "'");
  }

  // An empty text may point nowhere, and so may a buffer that was never asked for anything.
  static void put(char* to, std::string_view bytes) {
    if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
  }

  char* next_ = nullptr;  // first free byte
  char* end_ = nullptr;   // end of the buffer
};

}  // namespace ontime::app
