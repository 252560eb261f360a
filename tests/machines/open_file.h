#pragma once
// What a descriptor of a simulated process stands for: an open file, an end of a connection, a timer ... Descriptors
// that were duplicated, sent or inherited share one. Calls follow the real ones: a number, or an errno below zero. None
// of them waits; who has to, waits for `changed` and tries again.

#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tests/machines/world.h"

namespace ontime::lab::machines {

class Epoll;

class OpenFile : public std::enable_shared_from_this<OpenFile> {
 public:
  OpenFile() = default;
  OpenFile(const OpenFile&) = delete;
  virtual ~OpenFile();

  virtual ssize_t read(void*, std::size_t) { return -EINVAL; }
  virtual ssize_t write(const void*, std::size_t) { return -EINVAL; }
  // EPOLLIN, EPOLLOUT, ...: what could be done without waiting.
  virtual std::uint32_t events() { return EPOLLIN | EPOLLOUT; }
  virtual mode_t kind() const { return S_IFREG; }
  // Whether it is watched for events; a plain file is not.
  virtual bool can_be_watched() const { return true; }

  // Wakes who waits for events, and tells those that watch.
  void change();

  // No descriptor leads to it any more, even if something still has a pointer: a process that is killed in the middle
  // of a call never gives its own back.
  bool is_closed() const { return is_closed_; }

  WaitQueue changed;
  bool does_not_block = false;
  std::vector<std::weak_ptr<Epoll>> watchers;

 protected:
  virtual void on_closed() {}

 private:
  friend class Held;
  int holders_ = 0;
  bool is_closed_ = false;
};

using FilePointer = std::shared_ptr<OpenFile>;

// What a descriptor, or one that is being sent, has of an open file.
class Held {
 public:
  Held() = default;
  explicit Held(FilePointer file) : file_(std::move(file)) {
    if (file_) ++file_->holders_;
  }
  Held(const Held& other) : Held(other.file_) {}
  Held(Held&& other) noexcept : file_(std::move(other.file_)) {}
  Held& operator=(Held other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  ~Held();

  const FilePointer& get() const { return file_; }
  OpenFile* operator->() const { return file_.get(); }

 private:
  FilePointer file_;
};

}  // namespace ontime::lab::machines
