#include "worker/agent/runners/runner_link.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <array>
#include <asio/co_spawn.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "common/base/check.h"
#include "common/net/coroutine.h"
#include "common/protocol/convert.h"

namespace ontime::worker {
namespace {

constexpr std::size_t kStderrReadBytes = 16u << 10;
constexpr int kStderrReadsMax = 8;  // per turn of the loop, so that a flood does not keep others waiting

Error cannot_make(const char* what) {
  return failed(std::string("cannot make a ") + what + " for an attempt: " + std::strerror(errno));
}

}  // namespace

Result<std::shared_ptr<RunnerLink>> RunnerLink::make(asio::any_io_executor executor, RunnerEvents& events,
                                                     std::uint64_t number, std::shared_ptr<const wire::JobSetup> setup,
                                                     RunnerEnds& ends) {
  std::array<int, 2> sockets{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) return cannot_make("socket pair");
  Descriptor ours(sockets[0]);
  ends.socket = Descriptor(sockets[1]);
  std::array<int, 2> pipe_ends{-1, -1};
  if (::pipe2(pipe_ends.data(), O_CLOEXEC) != 0) return cannot_make("pipe");
  Descriptor read_end(pipe_ends[0]);
  ends.stderr_pipe = Descriptor(pipe_ends[1]);
  auto progress = SharedProgress::make(ends.progress_block);
  if (!progress) return std::move(progress).error();
  const std::shared_ptr<RunnerLink> runner(
      new RunnerLink(executor, events, number, std::move(setup), std::move(*progress)));
  if (auto attached = runner->attach(std::move(ours), std::move(read_end)); !attached) {
    return std::move(attached).error();
  }
  return runner;
}

RunnerLink::RunnerLink(asio::any_io_executor executor, RunnerEvents& events, std::uint64_t number,
                       std::shared_ptr<const wire::JobSetup> setup, SharedProgress progress)
    : events_(events), number_(number), setup_(std::move(setup)), progress_(std::move(progress)), stderr_(executor) {}

RunnerLink::~RunnerLink() = default;

Status RunnerLink::attach(Descriptor socket, Descriptor stderr_pipe) {
  asio::error_code error;
  net::Connection::Socket stream(stderr_.get_executor());
  stream.assign(asio::generic::stream_protocol(AF_UNIX, 0), socket.get(), error);
  if (error) return failed("cannot watch an attempt's socket: " + error.message());
  socket.release();
  stderr_.assign(stderr_pipe.get(), error);
  if (error) return failed("cannot watch an attempt's stderr: " + error.message());
  stderr_.non_blocking(true, error);
  stderr_pipe.release();
  connection_ = net::Connection::make(std::move(stream), {.frame_bytes_max = kFrameBytesMax});
  asio::co_spawn(stderr_.get_executor(), receive_loop(), net::AbortOnException{"runner receive loop"});
  asio::co_spawn(stderr_.get_executor(), stderr_loop(), net::AbortOnException{"runner stderr loop"});
  return {};
}

void RunnerLink::send_setup(const wire::ToRunner::Setup& setup) {
  wire::ToRunner message;
  *message.mutable_setup() = setup;
  connection_->send(message);  // a closed socket shows in the receive loop
}

void RunnerLink::run(AttemptId attempt, wire::ToRunner::Run run) {
  ONTIME_CHECK(!attempt_ && !killed_, "an attempt is given to an idle runner");
  drain_stderr();
  tail_.clear();
  log_taken_ = 0;
  attempt_ = attempt;
  progress_.reset(run.launch().range().begin());
  run.set_cut_sequence(progress_.cut_sequence());
  wire::ToRunner message;
  *message.mutable_run() = std::move(run);
  connection_->send(message);
}

void RunnerLink::begin(ByteRange range, std::optional<wire::StartPoint> start) {
  progress_.reset(range.begin);
  wire::ToRunner message;
  wire::ToRunner::Begin& begin = *message.mutable_begin();
  protocol::put(range, begin.mutable_order()->mutable_range());
  begin.set_cut_sequence(progress_.cut_sequence());
  if (start) *begin.mutable_order()->mutable_start() = std::move(*start);
  connection_->send(message);
}

void RunnerLink::give_address(wire::ToRunner::Address address) {
  wire::ToRunner message;
  *message.mutable_address() = std::move(address);
  connection_->send(message);
}

std::string RunnerLink::stderr_text() {
  drain_stderr();
  return tail_.text();
}

void RunnerLink::note_status(std::string_view text) {
  drain_stderr();
  tail_.append("reporter:status:" + std::string(text) + "\n");
}

LogPiece RunnerLink::take_log() {
  drain_stderr();
  if (tail_.bytes_seen() == log_taken_) return {};
  std::string bytes = tail_.after(log_taken_);
  log_taken_ = tail_.bytes_seen();
  const std::uint64_t begin = log_taken_ - bytes.size();
  return {begin, std::move(bytes)};
}

void RunnerLink::on_spawned(pid_t pid) {
  pid_ = pid;
  if (killed_ || socket_over_) kill_group();
}

void RunnerLink::on_exited(int wait_status) {
  wait_status_ = wait_status;
  tell_if_over();
}

void RunnerLink::kill() {
  if (std::exchange(killed_, true)) return;
  kill_group();
  attempt_.reset();
  connection_->close();
  asio::error_code ignored;
  stderr_.close(ignored);
}

// The launcher kills what is left of the group before it reaps the leader, so an exited runner needs nothing.
void RunnerLink::kill_group() {
  if (pid_ > 0 && !wait_status_) ::kill(-pid_, SIGKILL);
}

void RunnerLink::tell_if_over() {
  if (killed_ || !wait_status_ || !socket_over_) return;
  drain_stderr();
  events_.on_runner_over(*this, *wait_status_);
}

asio::awaitable<void> RunnerLink::receive_loop() {
  const auto self = shared_from_this();
  wire::FromRunner message;
  while (!killed_) {
    const auto payload = co_await connection_->receive();
    if (killed_) co_return;
    if (!payload) break;
    if (message.ParseFromArray(payload->data(), static_cast<int>(payload->size()))) {
      events_.on_runner_message(*this, message);
    } else {
      events_.on_runner_garbled(*this);
    }
  }
  if (killed_) co_return;
  // A process that closes its socket is ending or has gone astray; either way it is of no use any more.
  socket_over_ = true;
  kill_group();
  tell_if_over();
}

asio::awaitable<void> RunnerLink::stderr_loop() {
  const auto self = shared_from_this();
  while (stderr_.is_open()) {
    const auto [error] = co_await stderr_.async_wait(asio::posix::stream_descriptor::wait_read, net::no_throw);
    if (error) co_return;
    drain_stderr();
  }
}

void RunnerLink::drain_stderr() {
  std::array<char, kStderrReadBytes> buffer;
  for (int reads = 0; reads < kStderrReadsMax && stderr_.is_open(); ++reads) {
    const ssize_t size = ::read(stderr_.native_handle(), buffer.data(), buffer.size());
    if (size > 0) {
      tail_.append({buffer.data(), static_cast<std::size_t>(size)});
    } else if (size < 0 && (errno == EAGAIN || errno == EINTR)) {
      return;
    } else {
      asio::error_code ignored;
      stderr_.close(ignored);
    }
  }
}

}  // namespace ontime::worker
