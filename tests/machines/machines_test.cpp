// Threads, processes and connections of simulated machines, through the system's API.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/machines/small_cluster.h"

namespace ontime::lab::machines::test {
namespace {

using namespace std::chrono_literals;

sockaddr_in address_of(const Machine& machine) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(7000);
  address.sin_addr.s_addr = htonl(machine.address());
  return address;
}

int listen_on(const Machine& machine) {
  const sockaddr_in address = address_of(machine);
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  EXPECT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(::listen(listener, 8), 0);
  return listener;
}

// The connection, or -1 and errno.
int connect_to(const Machine& machine) {
  const sockaddr_in address = address_of(machine);
  const int connection = ::socket(AF_INET, SOCK_STREAM, 0);
  return ::connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? connection : -1;
}

std::string read_to_end(int descriptor) {
  std::string all;
  char bytes[100];
  for (ssize_t size = 0; (size = ::read(descriptor, bytes, sizeof bytes)) > 0;) all.append(bytes, std::size_t(size));
  return all;
}

TEST(VirtualTime, PassesOnlyWhenNothingElseCanHappen) {
  SmallCluster small;
  const auto began = std::chrono::steady_clock::now();
  small.run(small.one, [] {
    const auto before = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(24h);
    const auto slept = std::chrono::steady_clock::now() - before;
    EXPECT_GE(slept, 24h);
    EXPECT_LT(slept, 24h + 1ms);
  });
  EXPECT_LT(std::chrono::steady_clock::now() - began, 1h);
}

TEST(Threads, WaitForEachOtherWithTheUsualTools) {
  SmallCluster small;
  small.run(small.one, [] {
    std::mutex mutex;
    std::condition_variable changed;
    int count = 0;
    std::thread other([&] {
      for (int i = 0; i < 10; ++i) {
        std::this_thread::sleep_for(10ms);
        const std::lock_guard lock(mutex);
        ++count;
        changed.notify_all();
      }
    });
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return count == 5; });
    EXPECT_FALSE(changed.wait_for(lock, 1ms, [&] { return count == 10; }));
    lock.unlock();
    other.join();
    EXPECT_EQ(count, 10);
  });
}

// A lock that is held across a wait keeps others out.
TEST(Threads, KeepALockWhileTheySleep) {
  SmallCluster small;
  small.run(small.one, [] {
    std::mutex mutex;
    bool is_inside = false;
    const auto enter = [&] {
      const std::lock_guard lock(mutex);
      EXPECT_FALSE(is_inside);
      is_inside = true;
      std::this_thread::sleep_for(1s);
      is_inside = false;
    };
    std::thread one(enter);
    std::thread two(enter);
    one.join();
    two.join();
  });
}

TEST(Threads, RunInAnOrderThatTheSeedDraws) {
  std::set<std::string> orders;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SmallCluster small(seed);
    std::string order;
    for (const char name : {'a', 'b', 'c'}) small.start(small.one, [&order, name] { order += name; });
    small.pass(1s);
    EXPECT_EQ(order.size(), 3u);
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 2u);
}

TEST(Connection, CarriesBytesAndItsEnd) {
  SmallCluster small;
  small.start(small.one, [&] {
    const int connection = ::accept(listen_on(small.one), nullptr, nullptr);
    EXPECT_EQ(read_to_end(connection), std::string(1000, 'x'));
    EXPECT_EQ(::write(connection, "thanks", 6), 6);
  });
  small.pass(1ms);
  small.run(small.other, [&] {
    const int connection = connect_to(small.one);
    ASSERT_GE(connection, 0);
    EXPECT_EQ(::write(connection, std::string(1000, 'x').data(), 1000), 1000);
    ::shutdown(connection, SHUT_WR);
    EXPECT_EQ(read_to_end(connection), "thanks");
  });
}

TEST(Connection, IsRefusedWhereNobodyListens) {
  SmallCluster small;
  small.run(small.other, [&] {
    EXPECT_EQ(connect_to(small.one), -1);
    EXPECT_EQ(errno, ECONNREFUSED);
  });
}

// In the middle of a call too: what its thread had in hand does not keep it open.
TEST(Connection, EndsWithTheProcessThatHadIt) {
  SmallCluster small;
  const pid_t server = small.start(small.one, [&] { read_to_end(::accept(listen_on(small.one), nullptr, nullptr)); });
  small.pass(1ms);
  bool has_ended = false;
  small.start(small.other, [&] {
    read_to_end(connect_to(small.one));
    has_ended = true;
  });
  small.pass(1s);
  EXPECT_FALSE(has_ended);
  small.cluster.send_signal(server, SIGKILL);
  small.pass(1s);
  EXPECT_TRUE(has_ended);
}

TEST(Connection, EndsWithTheProcessThatEndsItself) {
  SmallCluster small;
  small.start(small.one, [&] {
    ::accept(listen_on(small.one), nullptr, nullptr);
    std::_Exit(1);
  });
  small.pass(1ms);
  bool has_ended = false;
  small.start(small.other, [&] {
    read_to_end(connect_to(small.one));
    has_ended = true;
  });
  small.pass(1s);
  EXPECT_TRUE(has_ended);
}

TEST(Connection, ThatIsCutOffIsSilentUntilTheUserTimeOut) {
  SmallCluster small;
  small.start(small.one, [&] { read_to_end(::accept(listen_on(small.one), nullptr, nullptr)); });
  small.pass(1ms);
  Duration lasted{0};
  int error = 0;
  small.start(small.other, [&] {
    const int connection = connect_to(small.one);
    const unsigned limit = 5000;
    ::setsockopt(connection, IPPROTO_TCP, TCP_USER_TIMEOUT, &limit, sizeof limit);
    std::this_thread::sleep_for(1s);
    const TimePoint before = small.cluster.world.now();
    EXPECT_EQ(::write(connection, "lost", 4), 4);
    char byte = 0;
    EXPECT_EQ(::read(connection, &byte, 1), -1);
    error = errno;
    lasted = small.cluster.world.now() - before;
  });
  small.pass(500ms);
  small.cluster.network->cut(small.other.address(), small.one.address());
  small.pass(1min);
  EXPECT_EQ(error, ETIMEDOUT);
  EXPECT_GE(lasted, 5s);
  EXPECT_LT(lasted, 6s);
}

TEST(Connection, BringsWhatWasSentOnceItIsMended) {
  SmallCluster small;
  std::string heard;
  small.start(small.one, [&] { heard = read_to_end(::accept(listen_on(small.one), nullptr, nullptr)); });
  small.pass(1ms);
  small.start(small.other, [&] {
    const int connection = connect_to(small.one);
    std::this_thread::sleep_for(1s);
    EXPECT_EQ(::write(connection, "late", 4), 4);
    ::shutdown(connection, SHUT_WR);
    std::this_thread::sleep_for(1h);
  });
  small.pass(500ms);
  small.cluster.network->cut(small.other.address(), small.one.address());
  small.pass(10s);
  EXPECT_EQ(heard, "");
  small.cluster.network->mend(small.other.address(), small.one.address());
  small.pass(20s);
  EXPECT_EQ(heard, "late");
}

TEST(Process, ThatIsStoppedDoesNothingUntilItGoesOn) {
  SmallCluster small;
  int count = 0;
  const pid_t id = small.start(small.one, [&] {
    for (;;) {
      std::this_thread::sleep_for(1s);
      ++count;
    }
  });
  small.pass(10s);
  EXPECT_NEAR(count, 10, 1);
  small.cluster.send_signal(id, SIGSTOP);
  small.pass(10s);
  EXPECT_NEAR(count, 10, 1);
  small.cluster.send_signal(id, SIGCONT);
  small.pass(10s);
  EXPECT_NEAR(count, 20, 2);
}

TEST(Process, LetsGoOfItsLocksWhenItIsKilled) {
  SmallCluster small;
  const auto lock = [] { return ::flock(::open("/lock", O_RDWR | O_CREAT, 0600), LOCK_EX | LOCK_NB); };
  const pid_t holder = small.start(small.one, [&] {
    EXPECT_EQ(lock(), 0);
    std::this_thread::sleep_for(1h);
  });
  small.pass(1s);
  small.run(small.one, [&] { EXPECT_EQ(lock(), -1); });
  small.cluster.send_signal(holder, SIGKILL);
  small.run(small.one, [&] { EXPECT_EQ(lock(), 0); });
}

TEST(Process, IsWaitedForByItsParent) {
  SmallCluster small;
  small.run(small.one, [&] {
    Process& parent = World::here()->process();
    const pid_t child = small.cluster
                            .start(
                                small.one, "child", [] { return 7; }, parent.id())
                            .id();
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 7);
    EXPECT_EQ(::waitpid(child, &status, 0), -1);
    EXPECT_EQ(errno, ECHILD);
  });
}

}  // namespace
}  // namespace ontime::lab::machines::test
