#include "tests/worker/runner/timed_run.h"

#include <sys/socket.h>

#include <stdexcept>

namespace ontime::worker::test {

TimedRun::TimedRun(const TemporaryDirectory& directory, wire::ToRunner order, RecordRule rule)
    : channel_(std::move(sockets_.theirs)), order_(std::move(order)), rule_(rule) {
  static int runs = 0;
  order_.mutable_run()->set_output_path(directory.file("out-" + std::to_string(++runs)));
}

void TimedRun::begin(std::uint64_t begin, std::uint64_t end) {
  wire::ToRunner message;
  message.mutable_begin()->mutable_order()->mutable_range()->set_begin(begin);
  message.mutable_begin()->mutable_order()->mutable_range()->set_end(end);
  message.mutable_begin()->set_cut_sequence(block->cut_sequence.load());
  send_message(sockets_.ours.get(), message);
}

void TimedRun::refuse_address(const std::string& why) {
  wire::ToRunner message;
  message.mutable_address()->set_error(why);
  send_message(sockets_.ours.get(), message);
}

AttemptStatus TimedRun::run() {
  return AttemptRun({mapper, context_, channel_, *block, rule_, RecordReader::kBlockBytes, clock}, order_.run()).run();
}

std::vector<wire::FromRunner> TimedRun::said() {
  std::vector<wire::FromRunner> messages;
  for (;;) {
    auto payload = decoder_.next();
    if (payload && payload->has_value()) {
      if (!messages.emplace_back().ParseFromArray((*payload)->data(), static_cast<int>((*payload)->size()))) {
        throw std::runtime_error("a message that cannot be read");
      }
      if (messages.back().has_noted()) messages.pop_back();  // may be left out
      continue;
    }
    const auto space = decoder_.space();
    const ssize_t got = ::recv(sockets_.ours.get(), space.data(), space.size(), MSG_DONTWAIT);
    if (got <= 0) return messages;
    decoder_.received(static_cast<std::size_t>(got));
  }
}

}  // namespace ontime::worker::test
