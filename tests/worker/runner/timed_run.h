#pragma once
// One attempt in the test's own thread with a clock that stands still except in sleeps: waits are instant and exact,
// and the test looks on, or interferes, at every one of them.

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "common/app/application.h"
#include "tests/worker/data/input_files.h"
#include "tests/worker/runner/fake_worker.h"
#include "worker/runner/attempt_run.h"

namespace ontime::worker::test {

class ManualClock final : public RunClock {
 public:
  TimePoint now() const override { return now_; }
  void sleep_until(TimePoint then) override {
    longest_ = std::max<Duration>(longest_, then - now_);
    now_ = std::max(now_, then);
    ++sleeps_;
    if (on_sleep) on_sleep();
  }
  void advance(Duration time) { now_ += time; }
  Duration elapsed() const { return now_.time_since_epoch(); }
  Duration longest() const { return longest_; }  // single sleep
  int sleeps() const { return sleeps_; }

  std::function<void()> on_sleep;  // after each

 private:
  TimePoint now_{};
  Duration longest_{0};
  int sleeps_ = 0;
};

// Copies its input, in a given time.
class CopyMapper final : public app::Mapper {
 public:
  explicit CopyMapper(ManualClock& clock) : clock_(clock) {}
  void begin_segment(std::uint64_t offset) override {
    if (on_begin) on_begin(offset);
  }
  void flush(app::Output& out) override {
    if (on_flush) on_flush(out);
  }
  void map(const app::Batch& batch, app::Output& out) override {
    out.write(batch.bytes.substr(0, takes ? takes(batch) : batch.bytes.size()));
    batches.push_back({batch.offset, batch.offset + batch.bytes.size()});
    const auto lines = std::count(batch.bytes.begin(), batch.bytes.end(), '\n');
    clock_.advance(time_per_batch + lines * time_per_line);
    if (on_map) on_map(batch);
  }
  std::vector<ByteRange> batches;
  Duration time_per_batch{0};
  Duration time_per_line{0};
  std::function<std::size_t(const app::Batch&)> takes;  // how many bytes of it; unset: all
  std::function<void(const app::Batch&)> on_map;
  std::function<void(std::uint64_t)> on_begin;
  std::function<void(app::Output&)> on_flush;

 private:
  ManualClock& clock_;
};

class TimedRun {
 public:
  // The order's output goes to a file that only this run has.
  TimedRun(const TemporaryDirectory& directory, wire::ToRunner order, RecordRule rule = {});

  wire::ToRunner::Run& order() { return *order_.mutable_run(); }
  // Tells the standby to begin; to be called at any time before it waits for it.
  void begin(std::uint64_t begin, std::uint64_t end);
  // Answers that there is no address of a store's file; at any time before it is asked for.
  void refuse_address(const std::string& why);
  void close() { sockets_.ours.close(); }
  AttemptStatus run();
  RunContext& context() { return context_; }

  // What it has said since the last call.
  std::vector<wire::FromRunner> said();
  std::string output() const { return read_file(order_.run().output_path()); }

  ManualClock clock;
  CopyMapper mapper{clock};
  SharedBlock block;

 private:
  SocketPair sockets_ = make_socket_pair();
  RunnerChannel channel_;
  RunContext context_{app::ParameterValues({})};
  wire::ToRunner order_;
  RecordRule rule_;
  protocol::FrameDecoder decoder_;
};

}  // namespace ontime::worker::test
