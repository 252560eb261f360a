#pragma once
// The worker's side of a runner, for tests: socket, progress block, orders and what comes back.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/descriptor.h"
#include "common/protocol/frame.h"
#include "common/protocol/runner.pb.h"
#include "worker/data/input_source.h"
#include "worker/progress_block.h"

namespace ontime::worker::test {

struct SocketPair {
  Descriptor ours;
  Descriptor theirs;
};
SocketPair make_socket_pair();

// A progress block in shared memory, as the worker makes it.
class SharedBlock {
 public:
  SharedBlock();
  ~SharedBlock();
  SharedBlock(const SharedBlock&) = delete;
  SharedBlock& operator=(const SharedBlock&) = delete;
  int descriptor() const { return memory_.get(); }
  ProgressBlock& operator*() const { return *block_; }
  ProgressBlock* operator->() const { return block_; }

  // Writes the next request the way the contract says and returns its sequence.
  std::uint64_t cut(std::uint64_t at, bool release);

 private:
  Descriptor memory_;
  ProgressBlock* block_;
};

wire::ToRunner make_setup(const std::map<std::string, std::string>& parameters,
                          const std::string& application = "probe", std::uint64_t record_bytes_max = 0);
// `end` may be kUnknownEnd.
wire::ToRunner make_run(const InputFile& file, std::uint64_t begin, std::uint64_t end, const std::string& output,
                        std::uint64_t cut_sequence = 0);

// The same for small files that share a task; the first begins at `begin`, and the range is all of them.
wire::ToRunner make_group_run(const std::vector<InputFile>& files, const std::string& output, std::uint64_t begin = 0);

// Reads messages of one type from a socket.
template <class Message>
class MessageReader {
 public:
  explicit MessageReader(int socket) : socket_(socket) {}
  // Waits; nothing at the end of the stream.
  std::optional<Message> next();

 private:
  int socket_;
  protocol::FrameDecoder decoder_;
};
extern template class MessageReader<wire::FromRunner>;
extern template class MessageReader<wire::FromLauncher>;

void send_message(int socket, const google::protobuf::MessageLite& message);

// Everything up to Finished, Failed or the end of the stream.
std::vector<wire::FromRunner> read_attempt(MessageReader<wire::FromRunner>& reader);

}  // namespace ontime::worker::test
