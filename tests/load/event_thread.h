#pragma once
// An event loop on a thread of its own. What belongs to it is made, used and destroyed there, by run().

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <future>
#include <memory>
#include <thread>
#include <utility>

namespace ontime::load {

class EventThread {
 public:
  EventThread() : work_(io_.get_executor()), thread_([this] { io_.run(); }) {}
  ~EventThread() { stop(); }
  EventThread(const EventThread&) = delete;
  EventThread& operator=(const EventThread&) = delete;

  asio::io_context& io() { return io_; }

  // Runs `work` there and returns what it returns. Not from there.
  template <class Work>
  auto run(Work work) {
    // The thread may be about to leave the task when its result is there already: it owns a share of it.
    const auto task = std::make_shared<std::packaged_task<decltype(work())()>>(std::move(work));
    auto done = task->get_future();
    asio::post(io_, [task] { (*task)(); });
    return done.get();
  }

  void stop() {  // what waits there is dropped with the loop
    io_.stop();
    if (thread_.joinable()) thread_.join();
  }

 private:
  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  std::thread thread_;
};

}  // namespace ontime::load
