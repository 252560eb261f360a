#include "common/log/line_writer.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

namespace ontime::log {
namespace {

constexpr std::size_t kChunkBytes = 64u << 10;  // in one write

// All of it, however long it takes. What a broken descriptor does not take is gone.
void write_all(int descriptor, const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = ::write(descriptor, bytes.data() + done, bytes.size() - done);
    if (count > 0) {
      done += static_cast<std::size_t>(count);
    } else if (count < 0 && errno == EAGAIN) {
      pollfd writable{descriptor, POLLOUT, 0};
      ::poll(&writable, 1, -1);
    } else if (count == 0 || errno != EINTR) {
      return;
    }
  }
}

// Signals are for the threads that wait for them.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

struct LineWriter::Queue {
  Queue(int writes_to, Owns owned) : descriptor(writes_to), owns(owned) {}
  ~Queue() {
    if (owns == Owns::Yes) ::close(descriptor);
  }
  const int descriptor;
  const Owns owns;

  std::mutex mutex;  // guards what follows
  std::condition_variable changed;
  std::deque<std::string> lines;
  std::size_t bytes = 0;
  std::uint64_t dropped = 0;
  bool is_writing = false;
  bool is_over = false;
};

LineWriter::LineWriter(int descriptor, Owns owns) : queue_(std::make_shared<Queue>(descriptor, owns)) {
  const SignalsBlocked blocked;
  std::thread([queue = queue_] { write_lines(queue); }).detach();
}

LineWriter::~LineWriter() {
  const std::lock_guard lock(queue_->mutex);
  queue_->is_over = true;
  queue_->changed.notify_all();
}

void LineWriter::add(std::string line) {
  const std::lock_guard lock(queue_->mutex);
  queue_->bytes += line.size();
  queue_->lines.push_back(std::move(line));
  while (queue_->bytes > kBytesMax && queue_->lines.size() > 1) {
    queue_->bytes -= queue_->lines.front().size();
    queue_->lines.pop_front();
    ++queue_->dropped;
  }
  if (queue_->lines.size() == 1) queue_->changed.notify_all();
}

bool LineWriter::drain(Duration at_most) {
  std::unique_lock lock(queue_->mutex);
  return queue_->changed.wait_for(lock, at_most, [this] { return queue_->lines.empty() && !queue_->is_writing; });
}

std::uint64_t LineWriter::dropped() const {
  const std::lock_guard lock(queue_->mutex);
  return queue_->dropped;
}

void LineWriter::write_lines(const std::shared_ptr<Queue>& queue) {
  std::unique_lock lock(queue->mutex);
  for (;;) {
    queue->changed.wait(lock, [&] { return queue->is_over || !queue->lines.empty(); });
    if (queue->is_over) return;
    std::string chunk;
    while (!queue->lines.empty() && (chunk.empty() || chunk.size() + queue->lines.front().size() <= kChunkBytes)) {
      chunk += queue->lines.front();
      queue->lines.pop_front();
    }
    queue->bytes -= chunk.size();
    queue->is_writing = true;
    lock.unlock();
    write_all(queue->descriptor, chunk);
    lock.lock();
    queue->is_writing = false;
    if (queue->lines.empty()) queue->changed.notify_all();
  }
}

}  // namespace ontime::log
