#pragma once
// What the kernel keeps for a process: its open files and connections, and the parent that it may die with.

#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace ontime {

// Owns one file descriptor and closes it.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (is_open()) ::close(number_);
  }

  int get() const { return number_; }  // negative: none
  bool is_open() const { return number_ >= 0; }
  explicit operator bool() const { return is_open(); }
  int release() { return std::exchange(number_, -1); }  // the caller's to close from now on
  void close() { Descriptor(std::move(*this)); }

 private:
  int number_ = -1;
};

// All of it, however long that takes. 0, or errno: what is left is not written then.
int write_all(int descriptor, std::string_view bytes);

// Descriptors that are sent along with bytes over a Unix socket, in one message.
inline constexpr std::size_t kAttachedMax = 3;
// Sends copies of them, in one call that never waits: how many bytes, or -1 and errno.
ssize_t send_attached(int socket, std::string_view bytes, std::span<const int> descriptors);
// Waits for bytes and adds what came along to `attached`: how many bytes, 0 at the end, or -1 and errno.
ssize_t receive_attached(int socket, std::span<char> to, std::vector<Descriptor>& attached);

// Lets this process have so many open files and connections, or as many as it may: the soft limit is often a thousand
// where the hard one is a million. Never fewer than before. Best effort; how many that are now.
std::uint64_t raise_descriptor_limit(std::uint64_t wanted);

// From now on the kernel kills this process when `parent` ends. False if `parent` is not our parent any more: it ended
// before we asked, and nobody would tell us. Not to be guessed from a parent id of 1: process 1 of a container may well
// be a parent that lives.
bool die_with_parent(pid_t parent);

}  // namespace ontime
