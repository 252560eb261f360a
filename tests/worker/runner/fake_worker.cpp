#include "tests/worker/runner/fake_worker.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <new>
#include <stdexcept>

#include "common/protocol/convert.h"
#include "worker/runner/runner_channel.h"

namespace ontime::worker::test {

SocketPair make_socket_pair() {
  int fds[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) throw std::runtime_error("socketpair");
  return {Descriptor(fds[0]), Descriptor(fds[1])};
}

SharedBlock::SharedBlock() : memory_(::memfd_create("progress", MFD_CLOEXEC)) {
  if (::ftruncate(memory_.get(), sizeof(ProgressBlock)) != 0) throw std::runtime_error("ftruncate");
  void* const at = ::mmap(nullptr, sizeof(ProgressBlock), PROT_READ | PROT_WRITE, MAP_SHARED, memory_.get(), 0);
  if (at == MAP_FAILED) throw std::runtime_error("mmap");
  block_ = new (at) ProgressBlock;
}

SharedBlock::~SharedBlock() { ::munmap(block_, sizeof(ProgressBlock)); }

std::uint64_t SharedBlock::cut(std::uint64_t at, bool release) {
  const std::uint64_t sequence = block_->cut_sequence.load() + 1;
  block_->claims.expect_answer();
  block_->cut_at.store(at, std::memory_order_relaxed);
  block_->cut_release.store(release ? 1 : 0, std::memory_order_relaxed);
  block_->cut_sequence.store(sequence, std::memory_order_release);
  return sequence;
}

wire::ToRunner make_setup(const std::map<std::string, std::string>& parameters, const std::string& application,
                          std::uint64_t record_bytes_max) {
  wire::ToRunner message;
  wire::ToRunner::Setup& setup = *message.mutable_setup();
  wire::JobSpec& job = *setup.mutable_job()->mutable_spec();
  job.set_application(application);
  for (const auto& [key, value] : parameters) {
    wire::Entry& entry = *job.add_parameters();
    entry.set_key(key);
    entry.set_value(value);
  }
  setup.add_application_directories(ONTIME_TEST_APPS);
  job.mutable_settings()->set_record_bytes_max(record_bytes_max);
  setup.mutable_job()->set_job(1);
  return message;
}

wire::ToRunner make_run(const InputFile& file, std::uint64_t begin, std::uint64_t end, const std::string& output,
                        std::uint64_t cut_sequence) {
  wire::ToRunner message;
  wire::ToRunner::Run& run = *message.mutable_run();
  wire::Order::Launch& launch = *run.mutable_launch();
  launch.mutable_attempt()->set_job(1);
  launch.mutable_attempt()->set_task(2);
  launch.mutable_attempt()->set_number(3);
  launch.mutable_file()->set_path(file.path);
  launch.mutable_file()->set_size(file.size);
  launch.mutable_file()->set_version(file.version);
  launch.mutable_file()->set_codec(protocol::to_wire(file.codec));
  launch.mutable_file()->set_content_bytes(file.content_bytes);
  for (const AccessPoint& point : file.points) {
    launch.mutable_file()->add_points()->set_content(point.content);
    launch.mutable_file()->mutable_points()->rbegin()->set_stored(point.stored);
  }
  launch.mutable_range()->set_begin(begin);
  launch.mutable_range()->set_end(end);
  run.set_output_path(output);
  run.set_cut_sequence(cut_sequence);
  return message;
}

wire::ToRunner make_group_run(const std::vector<InputFile>& files, const std::string& output, std::uint64_t begin) {
  InputFile group = files.front();
  group.size = 0;
  for (const InputFile& file : files) group.size += file.size;
  wire::ToRunner message = make_run(group, begin, begin + group.size, output);
  wire::InputFile& input = *message.mutable_run()->mutable_launch()->mutable_file();
  input.set_parts_begin(begin);
  for (const InputFile& file : files) {
    wire::InputPart& part = *input.add_parts();
    part.set_path(file.path);
    part.set_size(file.size);
    part.set_version(file.version);
  }
  return message;
}

template <class Message>
std::optional<Message> MessageReader<Message>::next() {
  for (;;) {
    auto payload = decoder_.next();
    if (!payload) throw std::runtime_error(payload.error().message);
    if (payload->has_value()) {
      Message message;
      if (!message.ParseFromArray((*payload)->data(), static_cast<int>((*payload)->size()))) {
        throw std::runtime_error("a message that cannot be read");
      }
      return message;
    }
    const auto space = decoder_.space();
    const ssize_t got = ::recv(socket_, space.data(), space.size(), 0);
    if (got <= 0) return std::nullopt;
    decoder_.received(static_cast<std::size_t>(got));
  }
}

template class MessageReader<wire::FromRunner>;
template class MessageReader<wire::FromLauncher>;

void send_message(int socket, const google::protobuf::MessageLite& message) {
  std::string bytes;
  protocol::append_frame(bytes, message);
  const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent != static_cast<ssize_t>(bytes.size())) throw std::runtime_error("send");
}

std::vector<wire::FromRunner> read_attempt(MessageReader<wire::FromRunner>& reader) {
  std::vector<wire::FromRunner> messages;
  while (auto message = reader.next()) {
    if (message->has_noted()) continue;  // may be left out
    messages.push_back(std::move(*message));
    if (messages.back().has_finished() || messages.back().has_failed()) break;
  }
  return messages;
}

}  // namespace ontime::worker::test
