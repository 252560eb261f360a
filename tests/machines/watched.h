#pragma once
// What a process can wait for besides connections and files: an epoll, a counter of events, a timer, signals, the end
// of a process. And what has no events: memory that is shared, and nothing.

#include <cstdlib>
#include <deque>
#include <map>

#include "common/base/descriptor.h"
#include "tests/machines/open_file.h"
#include "tests/machines/process.h"

namespace ontime::lab::machines {

class Epoll final : public OpenFile {
 public:
  int control(int operation, int descriptor, const FilePointer& file, const epoll_event* event);
  // What has happened of what is watched; 0: nothing yet.
  int collect(epoll_event* to, int count);
  std::uint32_t events() override;
  void on_change(OpenFile& file);
  mode_t kind() const override { return 0; }

 private:
  struct Watched {
    std::weak_ptr<OpenFile> file;
    epoll_event wanted{};
    bool is_listed = false;
  };
  using Key = std::pair<const OpenFile*, int>;  // with its descriptor
  void list(const Key& key, Watched& watched);

  std::map<Key, Watched> watched_;
  std::deque<Key> listed_;  // perhaps something has happened to these
};

class EventCounter final : public OpenFile {
 public:
  explicit EventCounter(std::uint64_t count) : count_(count) {}
  ssize_t read(void* to, std::size_t size) override;
  ssize_t write(const void* from, std::size_t size) override;
  std::uint32_t events() override { return (count_ > 0 ? EPOLLIN : 0u) | EPOLLOUT; }
  mode_t kind() const override { return 0; }

 private:
  std::uint64_t count_;
};

class TimerFile final : public OpenFile {
 public:
  explicit TimerFile(World& world) : world_(world) {}
  void set(TimePoint expiry, Duration every);  // kNever: never
  TimePoint expiry() const { return expiry_; }
  ssize_t read(void* to, std::size_t size) override;
  std::uint32_t events() override { return expirations_ > 0 ? EPOLLIN : 0u; }
  mode_t kind() const override { return 0; }

 private:
  void arm();

  World& world_;
  TimePoint expiry_ = kNever;
  Duration every_{0};
  std::uint64_t generation_ = 0;
  std::uint64_t expirations_ = 0;
};

// SIGCHLD and SIGTERM.
class SignalFile final : public OpenFile {
 public:
  explicit SignalFile(Process& process) : process_(process) {}
  ssize_t read(void* to, std::size_t size) override;
  std::uint32_t events() override;
  mode_t kind() const override { return 0; }

 private:
  Process& process_;
};

class ProcessFile final : public OpenFile {
 public:
  ProcessFile(Cluster& cluster, pid_t id) : cluster_(cluster), id_(id) {}
  std::uint32_t events() override;
  mode_t kind() const override { return 0; }

 private:
  Cluster& cluster_;
  const pid_t id_;
};

// Memory that processes share. It stays where it is as long as anybody maps it.
class SharedMemory final : public OpenFile {
 public:
  ~SharedMemory() override { std::free(at); }
  int resize(std::size_t bytes);  // once
  bool can_be_watched() const override { return false; }

  void* at = nullptr;
  std::size_t size = 0;
};

// A file of the real machine, which is only read.
class RealFile final : public OpenFile {
 public:
  explicit RealFile(Descriptor real) : descriptor(std::move(real)) {}
  bool can_be_watched() const override { return false; }

  const Descriptor descriptor;
};

class NullFile final : public OpenFile {
 public:
  ssize_t read(void*, std::size_t) override { return 0; }
  ssize_t write(const void*, std::size_t size) override { return static_cast<ssize_t>(size); }
  mode_t kind() const override { return S_IFCHR; }
  bool can_be_watched() const override { return false; }
};

}  // namespace ontime::lab::machines
