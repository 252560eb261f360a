// Orders that bring descriptors through a stream, of which a read takes what is there: the end of one order and the
// begin of the next.
#include "worker/runner/runner_channel.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "common/protocol/frame.h"

namespace ontime::worker {
namespace {

ino_t inode(int descriptor) {
  struct stat status {};
  EXPECT_EQ(::fstat(descriptor, &status), 0);
  return status.st_ino;
}

std::string frame_of(const wire::ToLauncher& order) {
  std::string frame;
  protocol::append_frame(frame, order);
  return frame;
}

// Of so many bytes.
std::string order_without_descriptors(std::size_t bytes) {
  wire::ToLauncher order;
  order.mutable_open_output()->set_path(std::string(bytes - 40, 'x'));
  while (frame_of(order).size() < bytes) order.mutable_open_output()->mutable_path()->push_back('x');
  return frame_of(order);
}

class Stream {
 public:
  Stream() {
    std::array<int, 2> pair{-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()), 0);
    ours_ = Descriptor(pair[0]);
    channel = std::make_unique<WorkerChannel>(Descriptor(pair[1]), std::size_t{1} << 20);
  }
  void send(const std::string& frame, const std::vector<int>& attached) {
    EXPECT_EQ(send_attached(ours_.get(), frame, attached), static_cast<ssize_t>(frame.size()));
  }
  std::unique_ptr<WorkerChannel> channel;

 private:
  Descriptor ours_;
};

TEST(WorkerChannel, GivesEachOrderItsDescriptorsWhereverAReadEnds) {
  std::vector<Descriptor> files;
  for (int i = 0; i < 4; ++i) files.emplace_back(::memfd_create("file", MFD_CLOEXEC));
  wire::ToLauncher spawn;
  spawn.mutable_spawn()->set_runner(1);
  for (std::size_t before = (16u << 10) - 20; before <= 16u << 10; ++before) {
    Stream stream;
    stream.send(order_without_descriptors(before), {});
    for (std::size_t i = 0; i < 4; i += 2) stream.send(frame_of(spawn), {files[i].get(), files[i + 1].get()});
    wire::ToLauncher order;
    const auto receives = [&] {
      const auto came = stream.channel->receive(order);
      return came && *came;
    };
    ASSERT_TRUE(receives());
    for (std::size_t i = 0; i < 4; i += 2) {
      ASSERT_TRUE(receives());
      const auto attached = stream.channel->take_attached(2);
      ASSERT_EQ(attached.size(), 2u) << "behind " << before << " bytes";
      for (std::size_t j = 0; j < 2; ++j) EXPECT_EQ(inode(attached[j].get()), inode(files[i + j].get()));
    }
    EXPECT_TRUE(stream.channel->take_attached(1).empty());
  }
}

}  // namespace
}  // namespace ontime::worker
