#include "common/log/log.h"

#include <fmt/chrono.h>
#include <poll.h>
#include <signal.h>
#include <spdlog/formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <iterator>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "common/base/descriptor.h"
#include "common/files/disk.h"
#include "common/log/fields.h"

namespace ontime::log {
namespace {

constexpr std::array<std::pair<std::string_view, spdlog::level::level_enum>, 6> kLevels{{
    {"trace", spdlog::level::trace},
    {"debug", spdlog::level::debug},
    {"info", spdlog::level::info},
    {"warning", spdlog::level::warn},
    {"error", spdlog::level::err},
    {"off", spdlog::level::off},
}};

std::optional<spdlog::level::level_enum> find_level(std::string_view name) {
  for (const auto& [known, level] : kLevels) {
    if (known == name) return level;
  }
  return std::nullopt;
}

std::string_view view(spdlog::string_view_t text) { return {text.data(), text.size()}; }

// UTC with milliseconds: "2026-03-01T08:15:30.042Z".
std::string timestamp(std::chrono::system_clock::time_point time) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count() % 1000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(time)), ms);
}

// One event stays one line, whatever bytes an application or a peer put into it.
std::string on_one_line(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n')
      line += "\\n";
    else if (byte < 0x20 || byte == 0x7f)
      fmt::format_to(std::back_inserter(line), "\\x{:02x}", byte);
    else
      line += c;
  }
  return line;
}

// "TIME LEVEL PROGRAM MESSAGE".
class TextFormatter : public spdlog::formatter {
 public:
  explicit TextFormatter(std::string program) : program_(std::move(program)) {}
  void format(const spdlog::details::log_msg& event, spdlog::memory_buf_t& to) override {
    fmt::format_to(std::back_inserter(to), "{} {} {} {}\n", timestamp(event.time),
                   view(spdlog::level::to_string_view(event.level)), program_, on_one_line(view(event.payload)));
  }
  std::unique_ptr<spdlog::formatter> clone() const override { return std::make_unique<TextFormatter>(program_); }

 private:
  std::string program_;
};

nlohmann::ordered_json json_of(const std::string& value) {
  const bool is_number = !value.empty() && value.size() < 19 && value.find_first_not_of("0123456789") == value.npos;
  if (is_number) return std::stoll(value);
  return value;
}

// One JSON object per line, in ASCII: the event's fields beside time, level, program and event. Bytes that are not
// UTF-8 become the replacement character.
class JsonFormatter : public spdlog::formatter {
 public:
  explicit JsonFormatter(std::string program) : program_(std::move(program)) {}
  void format(const spdlog::details::log_msg& event, spdlog::memory_buf_t& to) override {
    nlohmann::ordered_json object;
    object["time"] = timestamp(event.time);
    object["level"] = view(spdlog::level::to_string_view(event.level));
    object["program"] = program_;
    const ParsedEvent parsed = parse_event(view(event.payload));
    object["event"] = parsed.name;
    for (const auto& [key, value] : parsed.fields) {
      if (!object.contains(key)) object[key] = json_of(value);
    }
    if (!parsed.rest.empty()) object["text"] = parsed.rest;
    const std::string line = object.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n";
    to.append(line.data(), line.data() + line.size());
  }
  std::unique_ptr<spdlog::formatter> clone() const override { return std::make_unique<JsonFormatter>(program_); }

 private:
  std::string program_;
};

// Writes lines to a descriptor on a thread of its own, so that a disk that hangs or a pipe that nobody reads never
// stops a thread that logs: lines queue up to a bound, then the oldest are dropped and counted.
//
// The thread is detached and owns what it works with: one that hangs in a write cannot be joined, and is left behind
// when the process ends.
class LineWriter {
 public:
  static constexpr std::size_t kBytesMax = 4u << 20;  // queued

  // Closes `owned` in the end; if that is none, writes to stderr.
  explicit LineWriter(Descriptor owned);
  ~LineWriter();  // gives up what drain() has not waited for
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  // `line` with its line end. Never waits for the descriptor. Any thread.
  void add(std::string line);
  // Waits until all lines are written, at most so long; false if some are not.
  bool drain(Duration at_most);
  std::uint64_t dropped() const;  // lines

 private:
  struct Queue;
  static void write_lines(const std::shared_ptr<Queue>& queue);

  const std::shared_ptr<Queue> queue_;
};

constexpr std::size_t kChunkBytes = 64u << 10;  // in one write

// Signals are for the threads that wait for them.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

struct LineWriter::Queue {
  explicit Queue(Descriptor owned) : file(std::move(owned)) {}
  const Descriptor file;

  std::mutex mutex;  // guards what follows
  std::condition_variable changed;
  std::deque<std::string> lines;
  std::size_t bytes = 0;
  std::uint64_t dropped = 0;
  bool is_writing = false;
  bool is_over = false;
};

LineWriter::LineWriter(Descriptor owned) : queue_(std::make_shared<Queue>(std::move(owned))) {
  const SignalsBlocked blocked;
  std::thread([queue = queue_] { write_lines(queue); }).detach();
}

LineWriter::~LineWriter() {
  const std::lock_guard lock(queue_->mutex);
  queue_->is_over = true;
  queue_->changed.notify_all();
}

void LineWriter::add(std::string line) {
  const std::lock_guard lock(queue_->mutex);
  queue_->bytes += line.size();
  queue_->lines.push_back(std::move(line));
  while (queue_->bytes > kBytesMax && queue_->lines.size() > 1) {
    queue_->bytes -= queue_->lines.front().size();
    queue_->lines.pop_front();
    ++queue_->dropped;
  }
  if (queue_->lines.size() == 1) queue_->changed.notify_all();
}

bool LineWriter::drain(Duration at_most) {
  std::unique_lock lock(queue_->mutex);
  return queue_->changed.wait_for(lock, at_most, [this] { return queue_->lines.empty() && !queue_->is_writing; });
}

std::uint64_t LineWriter::dropped() const {
  const std::lock_guard lock(queue_->mutex);
  return queue_->dropped;
}

void LineWriter::write_lines(const std::shared_ptr<Queue>& queue) {
  std::unique_lock lock(queue->mutex);
  for (;;) {
    queue->changed.wait(lock, [&] { return queue->is_over || !queue->lines.empty(); });
    if (queue->is_over) return;
    std::string chunk;
    while (!queue->lines.empty() && (chunk.empty() || chunk.size() + queue->lines.front().size() <= kChunkBytes)) {
      chunk += queue->lines.front();
      queue->lines.pop_front();
    }
    queue->bytes -= chunk.size();
    queue->is_writing = true;
    lock.unlock();
    // What a broken descriptor does not take is gone.
    files::append(queue->file ? queue->file.get() : STDERR_FILENO, chunk);
    lock.lock();
    queue->is_writing = false;
    if (queue->lines.empty()) queue->changed.notify_all();
  }
}

std::atomic<std::uint64_t> dropped_lines = 0;  // of this process

// Formats here and writes on the writer's thread. Lines that were dropped are told of with the next event.
class FileSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit FileSink(std::unique_ptr<LineWriter> writer) : writer_(std::move(writer)) {}
  ~FileSink() override { writer_->drain(kLastWords); }

 protected:
  void sink_it_(const spdlog::details::log_msg& event) override {
    if (const std::uint64_t dropped = writer_->dropped(); dropped != told_) {
      const std::string text = "log_lines_dropped lines=" + std::to_string(dropped - told_) + " total=" +
                               std::to_string(dropped);
      dropped_lines += dropped - told_;
      told_ = dropped;
      add({event.time, {}, event.logger_name, spdlog::level::warn, text});
    }
    add(event);
  }
  void flush_() override { writer_->drain(kLastWords); }

 private:
  void add(const spdlog::details::log_msg& event) {
    spdlog::memory_buf_t line;
    formatter_->format(event, line);
    writer_->add({line.data(), line.size()});
  }

  const std::unique_ptr<LineWriter> writer_;
  std::uint64_t told_ = 0;
};

Result<std::unique_ptr<LineWriter>> open(const std::string& path) {
  if (path.empty()) return std::make_unique<LineWriter>(Descriptor());
  Descriptor file = files::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (!file) return bad_input("--log-file: '" + path + "' cannot be written: " + std::strerror(errno));
  return std::make_unique<LineWriter>(std::move(file));
}

}  // namespace

Status set_up(const Options& options) {
  const auto level = find_level(options.level);
  if (!level) {
    return bad_input("'" + options.level + "' is not a log level; choose trace, debug, info, warning, error or off");
  }
  if (options.format != "text" && options.format != "json") {
    return bad_input("'" + options.format + "' is not a log format; choose text or json");
  }
  auto file = open(options.file);
  if (!file) return file.error();
  auto sink = std::make_shared<FileSink>(std::move(*file));
  if (options.format == "json")
    sink->set_formatter(std::make_unique<JsonFormatter>(options.program));
  else
    sink->set_formatter(std::make_unique<TextFormatter>(options.program));
  auto logger = std::make_shared<spdlog::logger>(options.program, std::move(sink));
  logger->set_level(*level);
  spdlog::set_default_logger(std::move(logger));
  return {};
}

std::uint64_t lines_dropped() { return dropped_lines; }

void say(const std::string& text) {
  pollfd writable{STDERR_FILENO, POLLOUT, 0};
  if (::poll(&writable, 1, 0) == 1) std::fputs(text.c_str(), stderr);
}

}  // namespace ontime::log
