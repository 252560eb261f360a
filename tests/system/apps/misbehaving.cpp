// Does what a bad application does, when it meets the line that begins with `trigger`.
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "common/app/application.h"
#include "worker/progress_block.h"

namespace {

using namespace ontime::app;

class Misbehaving final : public Mapper {
 public:
  void setup(Context& context) override {
    how_ = context.get("how");
    trigger_ = context.get("trigger");
    job_ = std::atoi(context.get("job").c_str());
  }

  void map(const Batch& batch, Output& out) override {
    for (const Line line : batch.lines()) {
      if (line.text.starts_with(trigger_)) misbehave();
      out.record(line.text, "1");
    }
  }

 private:
  void misbehave() const {
    if (how_ == "throw") throw std::runtime_error("the mapper does not like this line");
    if (how_ == "crash") crash();
    if (how_ == "abort") std::abort();
    if (how_ == "exit") std::exit(7);
    if (how_ == "hang") std::this_thread::sleep_for(std::chrono::hours(1));
    if (how_ == "flood") flood();
    if (how_ == "seal") seal();
    if (how_ == "overtake") overtake();
  }

  // Also under a sanitizer, which would make an exit of it.
  [[noreturn]] static void crash() {
    std::signal(SIGSEGV, SIG_DFL);
    std::raise(SIGSEGV);
    std::abort();
  }

  // A gigabyte of complaints, then the end.
  static void flood() {
    const std::string line(1023, 'x');
    for (int i = 0; i < 1 << 20; ++i) std::fprintf(stderr, "%s\n", line.c_str());
    std::fprintf(stderr, "the last words\n");
    crash();
  }

  // Tells the worker, as the runner would, that the first attempt of its first task has sealed nothing at all.
  void seal() const {
    constexpr int kSocket = 3;
    const char job = static_cast<char>(job_);
    const std::string message = std::string("\x0a\x02\x08") + job + "\x22\x08\x0a\x04\x08\x07\x10\x07\x18\x07";
    const std::string frame = std::string{static_cast<char>(message.size()), 0, 0, 0} + message;
    if (write(kSocket, frame.data(), frame.size()) < 0) std::abort();
    std::this_thread::sleep_for(std::chrono::hours(1));
  }

  // Tells the worker, through the memory that it shares with the runner, that it stands behind the end of any file.
  static void overtake() {
    std::ifstream mappings("/proc/self/maps");
    for (std::string line; std::getline(mappings, line);) {
      if (line.find("ontime-progress") == line.npos) continue;
      auto* block = reinterpret_cast<ontime::worker::ProgressBlock*>(std::strtoull(line.c_str(), nullptr, 16));
      block->offset.store(std::uint64_t{1} << 63);
    }
    std::this_thread::sleep_for(std::chrono::hours(1));
  }

  std::string how_;
  std::string trigger_;
  int job_ = 0;
};

class EndingMerger final : public Merger {
 public:
  void merge(std::string_view, std::span<const std::string_view>, std::string&) override { std::exit(0); }
  void finish(std::string_view, std::string_view, Output&) override { std::exit(0); }
};

class MisbehavingApplication final : public Application {
 public:
  std::string description() const override { return "misbehaves on purpose (for tests)"; }
  std::vector<Parameter> parameters() const override {
    return {{"how", "throw", "throw, crash, abort, exit, hang, flood, seal, overtake, merge"},
            {"trigger", "BAD", "how the line begins"},
            {"job", "1", "its number, which it says with 'seal'"}};
  }
  std::unique_ptr<Mapper> make_mapper() const override { return std::make_unique<Misbehaving>(); }
  std::unique_ptr<Merger> merger_for(const Parameters& parameters) const override {
    return parameters.get("how") == "merge" ? std::make_unique<EndingMerger>() : nullptr;
  }
};

}  // namespace

ONTIME_APPLICATION(MisbehavingApplication)
