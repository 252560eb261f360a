// An application for tests of the runner: copies its input, or misbehaves as `mode` says. It watches that it is called
// as the interface promises and throws if not.
#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>

#include "common/app/application.h"
#include "common/app/record_format.h"

namespace {

using namespace ontime::app;

class Probe final : public Mapper {
 public:
  void setup(Context& context) override {
    context_ = &context;
    mode_ = context.get("mode");
    bytes_ = &context.counter("probe", "bytes");
    if (mode_ == "setup-refuses") throw std::invalid_argument("it does not like its parameters");
    if (mode_ == "setup-throws") throw std::runtime_error("it cannot set up");
  }

  void begin_segment(std::uint64_t offset) override {
    expect(!in_segment_, "begin_segment within a segment");
    in_segment_ = true;
    next_ = offset;
  }

  void map(const Batch& batch, Output& out) override {
    expect(in_segment_, "map outside of a segment");
    expect(!batch.bytes.empty(), "an empty batch");
    expect(batch.offset >= next_, "a batch from before the segment or the batch before");
    next_ = batch.offset + batch.bytes.size();
    misbehave(out);
    if (mode_ == "count-only") {
      *bytes_ += batch.bytes.size();
    } else {
      held_.append(batch.bytes);  // written at the seal, as a table would be
    }
    if (mode_ == "batches") ++context_->counter("probe", "batches");
    if (mode_ == "status") context_->set_status("at " + std::to_string(batch.offset));
  }

  void flush(Output& out) override {
    expect(in_segment_, "flush outside of a segment");
    in_segment_ = false;
    if (mode_ == "flush-throws") throw std::runtime_error("it cannot flush");
    out.write(held_);
    *bytes_ += held_.size();
    held_.clear();
  }

 private:
  static void expect(bool holds, const char* otherwise) {
    if (!holds) throw std::logic_error(otherwise);
  }

  void misbehave(Output& out) {
    if (mode_ == "throw") throw std::runtime_error("this record makes no sense");
    if (mode_ == "throw-int") throw 7;
    if (mode_ == "bad-record") throw BadRecord(0, "makes no sense");
    if (mode_ == "crash") std::abort();
    if (mode_ == "exit") std::exit(7);
    if (mode_ == "hang") hang();
    if (mode_ == "descriptors" && !std::exchange(has_listed_, true)) list_descriptors(out);
    if (mode_ == "clock") write_clock(out);
    if (mode_ == "noise") std::puts("to standard output"), std::fputs("to standard error\n", stderr);
    if (mode_ == "counters") {
      for (int i = 0; i < 1000; ++i) context_->counter("many", std::to_string(i)) = 1;
    }
  }

  // Says so, and leaves a child behind that hangs too.
  static void hang() {
    const pid_t child = ::fork();
    if (child != 0) std::printf("hanging %d\n", child), std::fflush(stdout);
    for (;;) ::pause();
  }

  static void list_descriptors(Output& out) {
    DIR* const directory = ::opendir("/proc/self/fd");
    while (const dirent* entry = ::readdir(directory)) {
      char target[256] = {};
      const std::string link = std::string("/proc/self/fd/") + entry->d_name;
      if (entry->d_name[0] != '.' && std::atoi(entry->d_name) != ::dirfd(directory) &&
          ::readlink(link.c_str(), target, sizeof(target) - 1) > 0) {
        out.record(entry->d_name, target);
      }
    }
    ::closedir(directory);
  }

  static void write_clock(Output& out) {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    out.record("now", std::to_string(now.tv_sec * 1'000'000'000 + now.tv_nsec));
  }

  Context* context_ = nullptr;
  std::uint64_t* bytes_ = nullptr;
  std::string mode_;
  std::string held_;
  bool in_segment_ = false;
  bool has_listed_ = false;
  std::uint64_t next_ = 0;
};

class ProbeApplication final : public Application {
 public:
  std::string description() const override { return "copies its input, or misbehaves"; }
  std::vector<Parameter> parameters() const override {
    return {{"mode", "copy", "what to do"}, {"record-bytes", "0", "bytes of a record, 0 for lines"}};
  }
  std::unique_ptr<RecordFormat> record_format(const Parameters& parameters) const override {
    const auto bytes = static_cast<std::uint32_t>(std::stoul(parameters.get("record-bytes")));
    return bytes > 0 ? std::make_unique<FixedRecords>(bytes) : nullptr;
  }
  void validate(const Parameters& parameters) const override {
    if (parameters.get("mode") == "validate-crashes") {
      signal(SIGSEGV, SIG_DFL);  // a sanitizer has a handler of its own
      raise(SIGSEGV);
    }
    if (parameters.get("mode") == "validate-exits") std::_Exit(0);
    while (parameters.get("mode") == "validate-hangs") pause();
    if (parameters.get("mode").empty()) throw std::invalid_argument("mode must not be empty");
  }
  std::unique_ptr<Mapper> make_mapper() const override { return std::make_unique<Probe>(); }
};

}  // namespace

ONTIME_APPLICATION(ProbeApplication)
