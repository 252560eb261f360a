#include "tests/worker/runner/launcher_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <stdexcept>

namespace ontime::worker::test {
namespace {

constexpr int kSocket = 5;

pid_t start_launcher(int socket) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, kSocket);
  std::string program = ONTIME_RUNNER;
  std::string option = "--launcher";
  std::string fd = std::to_string(kSocket);
  char* arguments[] = {program.data(), option.data(), fd.data(), nullptr};
  pid_t pid = 0;
  if (::posix_spawn(&pid, program.c_str(), &actions, nullptr, arguments, environ) != 0)
    throw std::runtime_error(program);
  posix_spawn_file_actions_destroy(&actions);
  return pid;
}

}  // namespace

LauncherProcess::LauncherProcess() : reader_(-1) {
  SocketPair sockets = make_socket_pair();
  pid_ = start_launcher(sockets.theirs.get());
  socket_ = std::move(sockets.ours);
  reader_ = MessageReader<wire::FromLauncher>(socket_.get());
}

void LauncherProcess::spawn(std::uint64_t runner, int socket, int block, int stderr_pipe) {
  wire::ToLauncher order;
  order.mutable_spawn()->set_runner(runner);
  std::string frame;
  protocol::append_frame(frame, order);
  const std::array<int, 3> attached{socket, block, stderr_pipe};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(attached))> control{};
  iovec piece{frame.data(), frame.size()};
  msghdr header{};
  header.msg_iov = &piece;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  cmsghdr* const part = CMSG_FIRSTHDR(&header);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(sizeof(attached));
  std::memcpy(CMSG_DATA(part), attached.data(), sizeof(attached));
  const ssize_t sent = ::sendmsg(socket_.get(), &header, MSG_NOSIGNAL);
  if (sent != static_cast<ssize_t>(frame.size())) throw std::runtime_error("sendmsg");
}

void LauncherProcess::send_raw(std::string_view bytes) {
  if (::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0) throw std::runtime_error("send");
}

wire::FromLauncher LauncherProcess::next() {
  auto message = reader_.next();
  if (!message) throw std::runtime_error("the launcher closed its socket");
  return std::move(*message);
}

int LauncherProcess::finish() {
  if (pid_ == 0) return 0;
  socket_.close();
  int status = 0;
  ::waitpid(std::exchange(pid_, 0), &status, 0);
  return status;
}

int LauncherProcess::kill(int signal) {
  ::kill(pid_, signal);
  int status = 0;
  ::waitpid(std::exchange(pid_, 0), &status, 0);
  return status;
}

RunnerProcess::RunnerProcess(LauncherProcess& launcher, std::uint64_t number, const wire::ToRunner& setup)
    : sockets_(make_socket_pair()), reader_(sockets_.ours.get()) {
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
  stderr_ = Descriptor(pipe[0]);
  const Descriptor write_end(pipe[1]);
  launcher.spawn(number, sockets_.theirs.get(), block_.descriptor(), write_end.get());
  sockets_.theirs.close();
  const wire::FromLauncher spawned = launcher.next();
  EXPECT_TRUE(spawned.has_spawned());
  EXPECT_EQ(spawned.spawned().runner(), number);
  EXPECT_EQ(spawned.spawned().error(), "");
  pid_ = spawned.spawned().pid();
  send(setup);
}

std::string RunnerProcess::text() {
  std::string all;
  std::array<char, 4096> piece;
  for (ssize_t got; (got = ::read(stderr_.get(), piece.data(), piece.size())) > 0;) {
    all.append(piece.data(), static_cast<std::size_t>(got));
  }
  return all;
}

std::string RunnerProcess::line() {
  std::string all;
  for (char byte = 0; ::read(stderr_.get(), &byte, 1) == 1 && byte != '\n';) all += byte;
  return all;
}

}  // namespace ontime::worker::test
