// Writes records as they are, in their order, and takes its time: so that the answer of fault schedules is known to the
// byte, wherever attempts were cut, and something can go wrong in the middle of one.
#include <charconv>
#include <chrono>
#include <string>
#include <thread>

#include "common/app/application.h"

namespace {

using namespace ontime::app;

class Copy final : public Mapper {
 public:
  void setup(Context& context) override {
    every_ = std::stoull(context.get("every"));
    pause_ = std::chrono::microseconds(std::stoll(context.get("pause_us")));
    start_ = std::chrono::microseconds(std::stoll(context.get("start_us")));
  }

  void begin_segment(std::uint64_t /*offset*/) override { has_started_ = false; }

  void map(const Batch& batch, Output& out) override {
    if (!has_started_) std::this_thread::sleep_for(start_);
    has_started_ = true;
    for (const Line line : batch.lines()) {
      std::this_thread::sleep_for(pause_);
      std::uint64_t number = 0;
      std::from_chars(line.text.data(), line.text.data() + line.text.size(), number);
      if (number % every_ != 0) continue;
      out.write(line.text);
      out.write("\n");
    }
  }

 private:
  std::uint64_t every_ = 1;
  std::chrono::microseconds pause_{0};
  std::chrono::microseconds start_{0};
  bool has_started_ = false;
};

class CopyApplication final : public Application {
 public:
  std::string description() const override { return "copies lines that begin with a number (for fault schedules)"; }
  std::vector<Parameter> parameters() const override {
    return {{"every", "1", "only lines whose number is a multiple of this"},
            {"pause_us", "0", "microseconds before each line"},
            {"start_us", "0", "microseconds before the first line of a segment"}};
  }
  std::unique_ptr<Mapper> make_mapper() const override { return std::make_unique<Copy>(); }
};

}  // namespace

ONTIME_APPLICATION(CopyApplication)
