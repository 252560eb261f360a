#include "tests/worker/agent/fake_runner.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <utility>

extern char** environ;

namespace ontime::worker::test {
namespace {

constexpr int kPatienceMs = 10'000;

// A process that does nothing in a group of its own. It closes our descriptors before its parent goes on: close-on-exec
// happens a moment later, and until then the worker would not see a socket's end.
pid_t start_idle_process() {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::string name = "sleep";
  std::string time = "1000";
  const std::array<char*, 3> arguments{name.data(), time.data(), nullptr};
  pid_t pid = 0;
  EXPECT_EQ(::posix_spawnp(&pid, "sleep", &actions, &attributes, arguments.data(), environ), 0);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return pid;
}

}  // namespace

FakeRunner::FakeRunner(std::uint64_t number, Descriptor socket, Descriptor block, Descriptor stderr_pipe)
    : number_(number),
      socket_(std::move(socket)),
      stderr_(std::move(stderr_pipe)),
      block_(static_cast<ProgressBlock*>(
          ::mmap(nullptr, sizeof(ProgressBlock), PROT_READ | PROT_WRITE, MAP_SHARED, block.get(), 0))),
      pid_(start_idle_process()) {
  EXPECT_NE(static_cast<void*>(block_), MAP_FAILED);
  EXPECT_EQ(block_->layout, ProgressBlock::kLayout);
  ::fcntl(stderr_.get(), F_SETFL, O_NONBLOCK);
}

FakeRunner::~FakeRunner() {
  ::munmap(block_, sizeof(ProgressBlock));
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

std::optional<wire::ToRunner> FakeRunner::next() {
  for (;;) {
    const auto payload = decoder_.next();
    EXPECT_TRUE(payload);
    if (*payload) {
      wire::ToRunner message;
      EXPECT_TRUE(message.ParseFromArray((*payload)->data(), static_cast<int>((*payload)->size())));
      return message;
    }
    const auto space = decoder_.space();
    const ssize_t size = ::recv(socket_.get(), space.data(), space.size(), MSG_DONTWAIT);
    if (size <= 0) return std::nullopt;
    decoder_.received(static_cast<std::size_t>(size));
  }
}

bool FakeRunner::takes_run() {
  const auto message = next();
  if (!message || !message->has_run()) return false;
  run_ = message->run();
  return true;
}

void FakeRunner::is_ready() {
  wire::FromRunner message;
  message.mutable_ready();
  says(message);
}

bool FakeRunner::takes_begin() {
  const auto message = next();
  if (!message || !message->has_begin()) return false;
  *run_.mutable_launch()->mutable_range() = message->begin().order().range();
  run_.set_cut_sequence(message->begin().cut_sequence());
  return true;
}

void FakeRunner::starts() {
  wire::FromRunner message;
  message.mutable_started();
  says(message);
}

void FakeRunner::answers_cut(std::uint64_t at) {
  EXPECT_TRUE(block_->claims.take_answer(at));
  wire::FromRunner message;
  message.set_cut_sequence(block_->cut_sequence.load());
  message.mutable_cut()->set_at(at);
  message.mutable_cut()->set_release(block_->cut_release.load() != 0);
  says(message);
}

void FakeRunner::seals(std::uint64_t begin, std::uint64_t end) {
  wire::FromRunner message;
  message.mutable_sealed()->mutable_range()->set_begin(begin);
  message.mutable_sealed()->mutable_range()->set_end(end);
  message.mutable_sealed()->set_input_end(end);
  says(message);
}

void FakeRunner::finishes() {
  wire::FromRunner message;
  message.mutable_finished();
  says(message);
}

void FakeRunner::fails(wire::Failure failure, const std::string& message_text) {
  wire::FromRunner message;
  message.mutable_failed()->set_failure(failure);
  message.mutable_failed()->set_message(message_text);
  says(message);
}

void FakeRunner::says(wire::FromRunner message) {
  if (!message.has_attempt()) *message.mutable_attempt() = run_.launch().attempt();
  std::string frame;
  protocol::append_frame(frame, message);
  sends_bytes(frame);
}

void FakeRunner::sends_bytes(std::string_view bytes) {
  ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

std::size_t FakeRunner::writes_stderr(std::string_view text) {
  const ssize_t size = ::write(stderr_.get(), text.data(), text.size());
  return size > 0 ? static_cast<std::size_t>(size) : 0;
}

void FakeRunner::closes() {
  socket_.close();
  stderr_.close();
}

bool FakeRunner::was_killed() {
  const Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  pollfd ended{process.get(), POLLIN, 0};
  if (::poll(&ended, 1, kPatienceMs) != 1) return false;
  int status = 0;
  ::waitpid(std::exchange(pid_, 0), &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

bool FakeRunner::is_alive() const {
  siginfo_t ended{};
  return ::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0;
}

}  // namespace ontime::worker::test
