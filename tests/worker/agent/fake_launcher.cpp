#include "tests/worker/agent/fake_launcher.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <utility>

#include "common/protocol/frame.h"

namespace ontime::worker::test {

LauncherStarter FakeLauncher::starter() {
  return [this]() -> Result<StartedLauncher> {
    if (!refusal_.empty()) return failed(std::exchange(refusal_, {}));
    std::array<int, 2> sockets{-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()), 0);
    socket_ = Descriptor(sockets[1]);
    ++starts_;
    return StartedLauncher{Descriptor(sockets[0]), 0};
  };
}

// Descriptors come with the first bytes of their order.
std::unique_ptr<FakeRunner> FakeLauncher::next_spawn() {
  std::array<char, protocol::kFrameHeaderBytes> length{};
  std::array<int, 3> descriptors{-1, -1, -1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(descriptors))> control{};
  iovec piece{length.data(), length.size()};
  msghdr header{};
  header.msg_iov = &piece;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  if (::recvmsg(socket_.get(), &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) <= 0) return nullptr;
  std::string payload(static_cast<unsigned char>(length[0]), '\0');  // orders are short
  EXPECT_EQ(::recv(socket_.get(), payload.data(), payload.size(), MSG_DONTWAIT), std::ssize(payload));
  wire::ToLauncher order;
  EXPECT_TRUE(order.ParseFromString(payload));
  if (order.has_sweep()) swept_.push_back(order.sweep().user());
  if (!order.has_spawn()) return next_spawn();
  user_ = order.spawn().user();
  const cmsghdr* rights = CMSG_FIRSTHDR(&header);
  EXPECT_NE(rights, nullptr) << "an order without descriptors";
  if (rights == nullptr) return nullptr;
  EXPECT_EQ(rights->cmsg_len, CMSG_LEN(sizeof(descriptors)));
  std::memcpy(descriptors.data(), CMSG_DATA(rights), sizeof(descriptors));
  return std::make_unique<FakeRunner>(order.spawn().runner(), Descriptor(descriptors[0]),
                                      Descriptor(descriptors[1]), Descriptor(descriptors[2]));
}

void FakeLauncher::reports_spawned(const FakeRunner& runner) {
  wire::FromLauncher message;
  message.mutable_spawned()->set_runner(runner.number());
  message.mutable_spawned()->set_pid(runner.pid());
  send(message);
}

void FakeLauncher::reports_spawn_failure(const FakeRunner& runner, const std::string& why) {
  wire::FromLauncher message;
  message.mutable_spawned()->set_runner(runner.number());
  message.mutable_spawned()->set_error(why);
  send(message);
}

void FakeLauncher::reports_exit(const FakeRunner& runner, int wait_status) {
  wire::FromLauncher message;
  message.mutable_exited()->set_runner(runner.number());
  message.mutable_exited()->set_wait_status(wait_status);
  send(message);
}

void FakeLauncher::sends_bytes(std::string_view bytes) {
  EXPECT_EQ(::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
}

void FakeLauncher::send(const wire::FromLauncher& message) {
  std::string frame;
  protocol::append_frame(frame, message);
  sends_bytes(frame);
}

}  // namespace ontime::worker::test
