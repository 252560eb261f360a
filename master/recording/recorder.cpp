#include "master/recording/recorder.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "common/base/kill_point.h"
#include "common/files/disk.h"
#include "master/recording/block.h"

namespace ontime::recording {
namespace {

constexpr auto kWrittenWithin = std::chrono::seconds(1);
constexpr std::size_t kWakeAt = kBlockBytesMax / 2;
// The writing thread is so far behind that its disk cannot keep up.
constexpr std::size_t kOpenBytesMax = std::size_t{64} << 20;
constexpr std::size_t kEpochsMost = 100;  // a master that is started again and again leaves little in each

}  // namespace

Recorder::Recorder(Options options) : options_(std::move(options)) {}

Recorder::~Recorder() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    if (!is_over_) encoder_.append(End{"the master has ended"}, open_);
    is_ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Recorder::add_known(const scheduler::JournalRecord& record, std::string_view message) {
  if (is_over_) return;
  const bool is_added = message.empty() ? encoder_.append(record, known_) : append_known(message, known_);
  is_over_ = !is_added || known_.size() > options_.bytes_max;
}

void Recorder::forget_known() {
  known_.clear();
  is_over_ = false;
}

void Recorder::begin(std::uint64_t epoch, Header header) {
  if (is_over_) {
    options_.on_stop("the journal holds more than a recording may take");
    return;
  }
  last_ = header.started_at;
  encoder_.append(header, header_);
  path_ = path_of(options_.directory, epoch);
  thread_ = std::thread([this] { run(); });
}

void Recorder::add_step(const scheduler::Event* event, TimePoint now, const scheduler::Step& step) {
  if (is_over_) return;
  bool is_much = false;
  {
    const std::lock_guard lock(mutex_);
    const std::size_t before = open_.size();
    is_over_ = has_stopped_;
    if (is_over_) return;
    const bool is_behind = before > kOpenBytesMax;
    if (is_behind || !encoder_.append(now - last_, event, step, open_)) {
      encoder_.append(End{is_behind ? "the disk was too slow" : "an event was too large"}, open_);
      is_over_ = true;
    }
    is_much = before < kWakeAt && open_.size() >= kWakeAt;
  }
  last_ = now;
  if (is_much || is_over_) wake_.notify_one();
}

void Recorder::run() {
  // Never the one above: a journal that was taken away must not be there again with nothing but a recording.
  files::make_directory(options_.directory);
  // A master that died before its epoch was durable has left one of this name. A new file: after a power cut the old
  // one, written over, could hold blocks of both.
  files::remove(path_);
  file_ = files::open(path_, files::kNewFile, 0600);
  if (!file_ || files::append(file_.get(), kMagic) != 0) return stop("its file '" + path_ + "' cannot be written");
  written_ = kMagic.size();
  // What is known at the start is written at once.
  std::string content = std::move(known_.insert(0, header_));
  for (bool is_ending = false; write_blocks(content) && !is_ending;) {
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, kWrittenWithin, [this] { return is_ending_ || open_.size() >= kWakeAt; });
    is_ending = is_ending_;
    content = std::exchange(open_, {});
  }
}

// False: recording has stopped.
bool Recorder::write_blocks(std::string_view content) {
  for (; !content.empty(); content.remove_prefix(std::min(kBlockBytesMax, content.size()))) {
    write(content.substr(0, kBlockBytesMax));
    if (!file_.is_open()) return false;
  }
  return true;
}

void Recorder::write(std::string_view content) {
  const std::string block = blocks_.make(content, sequence_);
  if (!make_room(block.size())) {
    return stop("the recordings would take more than " + std::to_string(options_.bytes_max) +
                " bytes (--recording-limit)");
  }
  pass_kill_point("recording-before-write");
  if (files::append(file_.get(), block) != 0)
    return stop("its file '" + path_ + "' cannot be written; is the disk full?");
  written_ += block.size();
  ++sequence_;
  pass_kill_point("recording-written");
}

// Removes the oldest other epochs until so many more bytes fit and they are few. False if they do not fit even then.
bool Recorder::make_room(std::uint64_t bytes) {
  if (written_ + bytes > options_.bytes_max) return false;
  std::uint64_t others = 0;
  std::vector<EpochFile> files = list_epochs(options_.directory);
  std::erase_if(files, [this](const EpochFile& file) { return file.path == path_; });
  for (const EpochFile& file : files) others += file.bytes;
  std::size_t left = files.size();
  for (const EpochFile& file : files) {
    if (others + written_ + bytes <= options_.bytes_max && left < kEpochsMost) break;
    files::remove(file.path);
    others -= file.bytes;
    --left;
  }
  return true;
}

void Recorder::stop(const std::string& why) {
  file_.close();
  {
    const std::lock_guard lock(mutex_);
    has_stopped_ = true;
    open_ = {};
  }
  options_.on_stop(why);
}

}  // namespace ontime::recording
