#include "worker/agent/runners/launcher_link.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <asio/buffer.hpp>
#include <cerrno>
#include <utility>

#include "common/base/kill_point.h"
#include "common/log/fields.h"
#include "common/net/coroutine.h"
#include "common/protocol/frame.h"

namespace ontime::worker {
namespace {

constexpr std::size_t kFrameBytesMax = 64u << 10;

}  // namespace

Status LauncherLink::start(LauncherEvents& events) {
  events_ = &events;
  if (auto opened = open(); !opened) return opened;
  asio::co_spawn(socket_.get_executor(), keep_running(), net::AbortOnException{"launcher link"});
  return {};
}

Status LauncherLink::open() {
  auto launcher = starter_();
  if (!launcher) return std::move(launcher).error();
  asio::error_code error;
  socket_.assign(asio::local::stream_protocol(), launcher->socket.get(), error);
  if (!error) launcher->socket.release();
  pid_ = launcher->pid;
  if (!error) socket_.non_blocking(true, error);
  if (error) {
    kill_launcher(std::exchange(pid_, 0));
    return failed("cannot watch the launcher's socket: " + error.message());
  }
  events_->on_launcher_ready();
  send_waiting();
  return {};
}

void LauncherLink::spawn(std::uint64_t runner, RunnerEnds ends, uid_t user) {
  pass_kill_point("spawn-before-order");
  wire::ToLauncher order;
  order.mutable_spawn()->set_runner(runner);
  order.mutable_spawn()->set_user(user);
  waiting_.push_back({std::move(order), std::move(ends)});
  send_waiting();
  pass_kill_point("spawn-ordered");
}

void LauncherLink::open_output(std::uint64_t runner, std::string path) {
  wire::ToLauncher order;
  order.mutable_open_output()->set_runner(runner);
  order.mutable_open_output()->set_path(std::move(path));
  waiting_.push_back({std::move(order)});
  send_waiting();
}

void LauncherLink::sweep(uid_t user) {
  wire::ToLauncher order;
  order.mutable_sweep()->set_user(user);
  waiting_.push_back({std::move(order)});
  send_waiting();
}

void LauncherLink::stop() {
  if (std::exchange(stopped_, true)) return;
  waiting_.clear();
  asio::error_code ignored;
  socket_.close(ignored);
  pause_.cancel();
  await_launcher_end(std::exchange(pid_, 0));
}

asio::awaitable<void> LauncherLink::keep_running() {
  for (;;) {
    co_await receive_loop();
    if (stopped_) co_return;
    on_lost();
    co_await reopen();
    if (stopped_) co_return;
  }
}

asio::awaitable<void> LauncherLink::receive_loop() {
  protocol::FrameDecoder decoder(kFrameBytesMax);
  for (;;) {
    const std::span<char> space = decoder.space();
    const asio::mutable_buffer buffer(space.data(), space.size());
    const auto [error, size] = co_await socket_.async_read_some(buffer, net::no_throw);
    if (error || stopped_) co_return;
    decoder.received(size);
    for (;;) {
      const auto payload = decoder.next();
      wire::FromLauncher message;
      if (!payload) co_return;
      if (!*payload) break;
      if (!message.ParseFromArray((*payload)->data(), static_cast<int>((*payload)->size()))) co_return;
      if (!handle(message) || stopped_) co_return;
    }
  }
}

bool LauncherLink::handle(const wire::FromLauncher& message) {
  if (message.has_exited()) {
    events_->on_runner_exited(message.exited().runner(), message.exited().wait_status());
    return true;
  }
  if (!message.has_spawned()) return false;
  const auto& spawned = message.spawned();
  if (spawned.pid() > 1) {
    pause_time_ = Duration(0);  // this launcher works
    events_->on_runner_spawned(spawned.runner(), spawned.pid());
  } else {
    events_->on_spawn_failed(spawned.runner(), spawned.error());
  }
  return true;
}

void LauncherLink::on_lost() {
  spdlog::warn("launcher_lost pid={}", pid_);
  asio::error_code ignored;
  socket_.close(ignored);
  waiting_.clear();
  kill_launcher(std::exchange(pid_, 0));
  events_->on_launcher_lost();
}

asio::awaitable<void> LauncherLink::reopen() {
  for (;;) {
    pause_.expires_after(pause_time_);
    pause_time_ = std::min(kPauseMax, std::max(kPauseMin, 2 * pause_time_));
    co_await pause_.async_wait(net::no_throw);
    if (stopped_) co_return;
    const Status opened = open();
    if (opened) co_return;
    spdlog::error("launcher_not_started message={}", log::Quoted{opened.error().message});
    fail_waiting(opened.error().message);
  }
}

void LauncherLink::fail_waiting(const std::string& why) {
  for (const Waiting& waiting : std::exchange(waiting_, {})) {
    if (waiting.order.has_spawn()) events_->on_spawn_failed(waiting.order.spawn().runner(), why);
  }
}

void LauncherLink::send_waiting() {
  while (!waiting_.empty() && socket_.is_open() && !awaits_room_) {
    if (send(waiting_.front())) {
      waiting_.pop_front();
    } else if (errno == EAGAIN) {
      awaits_room_ = true;
      socket_.async_wait(asio::local::stream_protocol::socket::wait_write, [this](const asio::error_code& error) {
        if (stopped_) return;
        awaits_room_ = false;
        if (!error) send_waiting();
      });
    } else {
      return;  // broken: the receive loop sees the end
    }
  }
}

// Taken as a whole or not at all, since a frame fits into one of the kernel's buffers.
bool LauncherLink::send(const Waiting& waiting) {
  std::string frame;
  protocol::append_frame(frame, waiting.order);
  std::vector<int> attached;
  if (waiting.ends) {
    attached = {waiting.ends->socket.get(), waiting.ends->progress_block.get(), waiting.ends->stderr_pipe.get()};
  }
  return send_attached(socket_.native_handle(), frame, attached) == static_cast<ssize_t>(frame.size());
}

}  // namespace ontime::worker
