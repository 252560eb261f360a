#pragma once
// File descriptors and pipes for talking to a child process. What fails throws std::runtime_error.

#include <string>
#include <utility>

namespace ontime::apps {

[[noreturn]] void throw_system_error(const std::string& what);

// Owns one file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    close();
    number_ = std::exchange(other.number_, -1);
    return *this;
  }
  ~Descriptor() { close(); }

  int get() const { return number_; }
  bool open() const { return number_ >= 0; }
  void close();

 private:
  int number_ = -1;
};

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

// Both ends are closed when a program is executed.
Pipe make_pipe();
void make_non_blocking(const Descriptor& descriptor);

}  // namespace ontime::apps
