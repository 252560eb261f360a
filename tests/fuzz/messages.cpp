// Frames and the messages of clients and runners.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "common/base/check.h"
#include "common/protocol/advise.pb.h"
#include "common/protocol/client.pb.h"
#include "common/protocol/control.pb.h"
#include "common/protocol/frame.h"
#include "common/protocol/runner.pb.h"
#include "master/advice/advice.h"
#include "master/submissions/submission.h"
#include "tests/fuzz/targets.h"
#include "tests/support/prepared_job.h"

namespace ontime::fuzz {

// The first byte says in which pieces the bytes come.
void feed_frames(std::string_view bytes) {
  constexpr std::size_t kMost = 4096;
  protocol::FrameDecoder decoder(kMost);
  const std::size_t piece = bytes.empty() ? 1 : static_cast<unsigned char>(bytes.front()) + std::size_t{1};
  while (!bytes.empty()) {
    const std::span<char> space = decoder.space();
    const std::size_t size = std::min({piece, space.size(), bytes.size()});
    ONTIME_CHECK(size > 0, "there is always space");
    std::memcpy(space.data(), bytes.data(), size);
    decoder.received(size);
    bytes.remove_prefix(size);
    for (;;) {
      const auto payload = decoder.next();
      if (!payload) return;
      if (!*payload) break;
      ONTIME_CHECK((*payload)->size() <= kMost, "no payload is longer than was allowed");
    }
    ONTIME_CHECK(decoder.capacity() <= 8 * kMost + (128u << 10), "a peer cannot make the buffer grow");
  }
}

// A request as the master takes it; of a submission all but the listing of its inputs.
void feed_client(std::string_view bytes) {
  wire::Request request;
  if (!request.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) || !request.has_submit()) return;
  wire::JobSpec& submit = *request.mutable_submit();
  submit.clear_inputs();
  submit.add_inputs(file_with("one\ntwo\n"));
  const auto output = master::output_of(submit);
  if (output) ONTIME_CHECK(output->front() == '/' && output->find("/../") == output->npos, "an output path is plain");
  const auto spec = test::prepare_job(submit);
  if (spec) ONTIME_CHECK(scheduler::count_splits(*spec) <= master::kTasksMax, "the number of tasks is bounded");
}

// What a Hadoop application master says.
void feed_application(std::string_view bytes) {
  wire::ToAdvisor message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return;
  const auto spec = master::advised_job(message.job(), {});
  if (spec) {
    const std::vector<scheduler::Split> splits = scheduler::make_splits(*spec);
    ONTIME_CHECK(static_cast<int>(splits.size()) == message.job().tasks_size(), "each task has one split");
    for (const scheduler::Split& split : splits) ONTIME_CHECK(split.range.begin < split.range.end, "no split is empty");
  }
  for (const wire::AttemptEvent& event : message.events().events()) {
    if (master::check_event(event, 10)) ONTIME_CHECK(event.task() < 10, "an event is of a task that the job has");
  }
}

// Both directions between worker, launcher and runner, and what else is only parsed.
void feed_runner(std::string_view bytes) {
  const auto parse = [&](auto message) { return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())); };
  parse(wire::ToLauncher());
  parse(wire::OutputFile());
  parse(wire::FromLauncher());
  parse(wire::ToRunner());
  parse(wire::FromRunner());
  parse(wire::Hello());
  parse(wire::Challenge());
  parse(wire::Proof());
  parse(wire::HelloReply());
  parse(wire::ToWorker());
  parse(wire::Reply());
}

}  // namespace ontime::fuzz
