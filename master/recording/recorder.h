#pragma once
// Records an epoch while it happens: what the scheduler is given, when, and what it answers. The control thread
// encodes; a thread of its own packs and writes, at the latest a second later. Nothing is synced: a recording may lose
// its tail in a crash, and nothing depends on it. Whatever goes wrong ends the recording and not the master.

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "common/base/descriptor.h"
#include "master/recording/block.h"
#include "master/recording/entry.h"

namespace ontime::recording {

class Recorder {
 public:
  struct Options {
    std::string directory;                   // of the recordings, made if missing where the one above it exists
    std::uint64_t bytes_max = 256ull << 20;  // of all epochs together; the oldest are removed to stay below it
    // Called on the writing thread when recording ends before the master does. One sentence.
    std::function<void(const std::string&)> on_stop;
  };

  explicit Recorder(Options options);
  ~Recorder();  // writes the end

  // In this order, from one thread: the journal's records as they are read, then the epoch with the first step, then
  // all other steps.
  // `message`: as the journal has it; empty where that is not at hand.
  void add_known(const scheduler::JournalRecord& record, std::string_view message = {});
  void forget_known();  // they are read once more
  void begin(std::uint64_t epoch, Header header);
  // `event` may be null: the start.
  void add_step(const scheduler::Event* event, TimePoint now, const scheduler::Step& step);

 private:
  void hand_over();
  void run();
  bool write_blocks(std::string_view content);
  void write(std::string_view content);
  bool make_room(std::uint64_t bytes);
  void stop(const std::string& why);

  const Options options_;
  EntryEncoder encoder_;
  TimePoint last_;  // of the last step
  // Encoded, before the epoch begins; then of the writing thread.
  std::string header_, known_;
  bool is_over_ = false;  // nothing more is recorded; control thread

  std::mutex mutex_;
  std::condition_variable wake_;
  std::string open_;          // guarded by mutex_: encoded and not written yet
  bool has_stopped_ = false;  // guarded: the writing thread has given up
  bool is_ending_ = false;    // guarded

  // Of the writing thread.
  std::string path_;
  Descriptor file_;
  std::uint64_t written_ = 0;
  BlockMaker blocks_;
  std::uint32_t sequence_ = 0;

  std::thread thread_;  // from begin() on
};

}  // namespace ontime::recording
